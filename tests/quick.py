"""What lets a JVM that lives shortly, or does little, start sooner."""

from __future__ import annotations

QUICK = ("-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m")
"""Without the second compiler: in half a minute it takes more time than it saves."""
