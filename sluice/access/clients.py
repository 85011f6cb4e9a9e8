"""What has sent a statement, as far as it tells."""

from __future__ import annotations

from dataclasses import dataclass

_HTTP, _LOCAL = 2, 6
_METHODS = {"GET": 1, "POST": 2}
_LONGEST = 200
"""Letters of what a client calls itself that are kept."""


@dataclass(frozen=True, slots=True)
class Client:
    """A client; `interface` and `method` are numbers, as in ClickHouse's `system.query_log`."""

    agent: str = ""
    interface: int = _LOCAL
    method: int = 0

    @classmethod
    def by_http(cls, agent: str, method: str) -> Client:
        """One that has sent a request."""
        shown = "".join(letter for letter in agent[:_LONGEST] if letter.isprintable())
        return cls(shown, _HTTP, _METHODS.get(method, 0))

    @property
    def name(self) -> str:
        """The program: the first of the agent's products, without its version."""
        return self.agent.partition(" ")[0].partition("/")[0]


LOCAL = Client()
"""A caller in this process."""
