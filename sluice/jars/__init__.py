"""The JVM side of Sluice: which Java runs it, and which jars it is given.

The jars are declared in `spark.ivy.xml` and `broker.ivy.xml`, and fetched once per user by the
Ivy that PySpark ships. Our own Java, in `java/`, is compiled there too; a wheel holds it compiled.
"""

from sluice.jars.java import java
from sluice.jars.resolve import Group, built, fetched, resolve

__all__ = ["Group", "built", "fetched", "java", "resolve"]
