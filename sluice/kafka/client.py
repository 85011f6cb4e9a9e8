"""Any confluent-kafka client: deadlines, its log, its errors as conditions."""

from __future__ import annotations

import logging
import re
import time
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from confluent_kafka import KafkaError, KafkaException

from sluice import errors

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sluice.errors import SluiceError

_log = logging.getLogger("sluice.kafka.client")

_DEFAULTS = {
    "reconnect.backoff.ms": 100,
    "reconnect.backoff.max.ms": 1000,
    "log.connection.close": False,
    # Errors are logged here, once; the client would write a line for every try to connect.
    "log_level": 2,
}

MISSING = frozenset(
    {
        KafkaError.UNKNOWN_TOPIC_OR_PART,
        KafkaError.UNKNOWN_TOPIC_ID,
        KafkaError._UNKNOWN_TOPIC,
        KafkaError._UNKNOWN_PARTITION,
    }
)
# Retriable: the broker answers, but is not ready.
_SOON = frozenset(
    {
        KafkaError._WAIT_COORD,
        KafkaError._NOENT,  # no leader is known
        KafkaError.NOT_COORDINATOR,
        KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
        KafkaError.COORDINATOR_NOT_AVAILABLE,
        KafkaError.LEADER_NOT_AVAILABLE,
        KafkaError.NOT_LEADER_FOR_PARTITION,
    }
)
_UNREACHABLE = _SOON | {
    KafkaError._TRANSPORT,
    KafkaError._TIMED_OUT,
    KafkaError._TIMED_OUT_QUEUE,
    KafkaError._MSG_TIMED_OUT,
    KafkaError._ALL_BROKERS_DOWN,
    KafkaError._RESOLVE,
    KafkaError._SSL,
    KafkaError._AUTHENTICATION,
    KafkaError._DESTROY,
    KafkaError.REQUEST_TIMED_OUT,
    KafkaError.NETWORK_EXCEPTION,
    KafkaError.SASL_AUTHENTICATION_FAILED,
}
_NOT_LET_IN = frozenset(
    {KafkaError._AUTHENTICATION, KafkaError._SSL, KafkaError.SASL_AUTHENTICATION_FAILED}
)
GONE = (errors.BROKER_UNREACHABLE, errors.KAFKA_LOGIN_FAILED)
"""There is no connection; a new one has to be made."""
_UNTRUSTED = re.compile(r"SSL routines.*\balert\b|certificate could not be verified")
"""One side does not take the other's certificate, or its lack of one."""
_VERIFY_FAILED = re.compile(r"error:\w+:SSL routines:\w*:certificate verify failed")
"""OpenSSL's messages, which librdkafka passes on when the connection breaks first."""
_PAUSE = 0.05
_NOISE = re.compile(r"\s*\(after .*\)$|/bootstrap(?=:)")


class Polled(Protocol):
    """What all clients have: a call that hands out what they logged meanwhile."""

    def poll(self, timeout: float = ...) -> object:
        """Deliver logs and errors."""


C = TypeVar("C", bound=Polled)
T = TypeVar("T")


class Deadline:
    """The time limit of a call, with all the requests it makes."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds left, always above 0, which clients take for no limit."""
        return max(0.01, self._end - time.monotonic())

    def passed(self) -> bool:
        """Whether it is too late."""
        return time.monotonic() >= self._end


class _Trouble:
    """Why the connection failed last; apart from the client, which it must not keep alive."""

    def __init__(self) -> None:
        self.reason = ""
        self.login = False

    def note(self, error: KafkaError) -> None:
        if error.code() != KafkaError._ALL_BROKERS_DOWN:  # which has no reason of its own
            reason = _VERIFY_FAILED.sub("broker certificate could not be verified", error.str())
            if _without_times(reason) != _without_times(self.reason):
                _log.warning("%s", reason)
            self.reason = reason
            self.login = error.code() in _NOT_LET_IN or _UNTRUSTED.search(reason) is not None


def _without_times(reason: str) -> str:
    return reason.partition(" (after")[0]


class Client(Generic[C]):
    """A client that remembers why its connection failed.

    Args:
        properties: librdkafka's settings.
        make: Makes the client proper from these settings and the defaults.
    """

    def __init__(self, properties: Mapping[str, Any], make: Callable[[dict[str, Any]], C]) -> None:
        self._brokers = properties.get("bootstrap.servers", "")
        self._trouble = _Trouble()
        ours = {"error_cb": self._trouble.note, "logger": _log}
        try:
            self.proper = make({**_DEFAULTS, **properties, **ours})
        except KafkaException as error:
            raise errors.KAFKA_CLIENT_CONFIG_INVALID(reason=error.args[0].str()) from error

    def call(self, deadline: Deadline, request: Callable[[C, float], T]) -> T:
        """Make a request, retried while the broker reports a retriable error.

        Args:
            deadline: When to give up.
            request: Given the client proper and the seconds left.

        Raises:
            SluiceError: BROKER_UNREACHABLE or KAFKA_REFUSED.
            KafkaException: When a topic or partition is missing, for the caller to judge.
        """
        while True:
            try:
                answer = request(self.proper, deadline.left())
            except KafkaException as error:
                code = error.args[0].code()
                if code in MISSING:
                    raise
                if code not in _SOON or deadline.passed():
                    raise self._error(error.args[0]) from error
            except TimeoutError as error:
                raise self._error(KafkaError(KafkaError._TIMED_OUT)) from error
            else:
                self._trouble.reason = ""
                return answer
            time.sleep(_PAUSE)

    def _error(self, error: KafkaError) -> SluiceError:
        self.proper.poll(0)
        trouble = self._trouble
        return translated(error, self._brokers, trouble.reason, login=trouble.login)


def translated(
    error: KafkaError, brokers: str, reason: str = "", *, login: bool = False
) -> SluiceError:
    """A client's error as a condition; `reason` has more detail than a connection error.

    `login` tells that the connection was there, and that one side did not trust the other.
    """
    if error.code() in _UNREACHABLE:
        why = _NOISE.sub("", reason or error.str())
        if login or error.code() in _NOT_LET_IN:
            return errors.KAFKA_LOGIN_FAILED(brokers=brokers, reason=why)
        return errors.BROKER_UNREACHABLE(brokers=brokers, reason=why)
    return errors.KAFKA_REFUSED(brokers=brokers, reason=error.str())
