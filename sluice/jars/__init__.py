"""The JVM side of Sluice: which Java runs it, and which jars it is given.

The jars are declared in `spark.ivy.xml` and `broker.ivy.xml`, and fetched once per user by the
Ivy that PySpark ships. Our own Java, in `sluice/jvm`, is compiled there too.
"""

from sluice.jars.java import java
from sluice.jars.resolve import Group, built, fetched, resolve

__all__ = ["Group", "built", "fetched", "java", "resolve"]
