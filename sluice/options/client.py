"""Properties of the Kafka clients: which may be set, by whom, and what each client calls them.

Sluice speaks through two: Java's, inside Spark, moves the data; librdkafka's, in Python, asks about
offsets and writes in transactions. A row is a property; a name that is in no row is refused.
"""
# ruff: noqa: E501 - a row is a line

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.parameters.secret import HIDDEN, Secret

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

JAVA, LIBRDKAFKA = "java", "librdkafka"
CONSUMER, PRODUCER, EVERY = "consumer", "producer", "every"
ANYONE, OPERATOR = "anyone", "operator"


@dataclass(frozen=True, slots=True)
class ClientKey:
    """One property under its name in each client; without one there, it is left out there.

    `who` is OPERATOR where a value can reach files of the host or weaken what is checked: only
    configuration files may set it. `unused` says why it has no effect. `words` are values of
    librdkafka that Java's client spells otherwise, `times` what a number is multiplied by for it.
    `only` are the values it takes, as Java spells them; any text if there are none.
    """

    librdkafka: str
    java: str
    doc: str
    role: str = EVERY
    who: str = ANYONE
    secret: bool = False
    unused: str = ""
    also: tuple[str, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict, hash=False)
    times: int = 1
    only: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What it is called here."""
        return self.java or self.librdkafka

    def read(self, given: Any, spelling: str = JAVA) -> str | Secret:
        """A value as text in the units and names of the Java client, or as a secret.

        Raises:
            SluiceError: INVALID_OPTION_VALUE, also for a value with a `${…}` reference.
        """
        text = str(given).lower() if isinstance(given, bool) else str(given)
        if isinstance(given, Secret):
            text = given.reveal()
        if "${" in text:
            shown = HIDDEN if self.secret else f"'{text}'"
            raise errors.INVALID_OPTION_VALUE(
                option=self.name, value=shown, reason="references such as '${' are not allowed"
            )
        if spelling == LIBRDKAFKA:
            text = self._from_librdkafka(text)
        if self.only and text.lower() not in self.only:
            known = ", ".join(self.only)
            raise errors.INVALID_OPTION_VALUE(
                option=self.name, value=f"'{text}'", reason=f"one of {known} is expected"
            )
        return Secret(text) if self.secret else text

    def _from_librdkafka(self, value: str) -> str:
        if self.times != 1 and value.isascii() and value.isdigit():
            return str(int(value) * self.times)
        return self.words.get(value.lower(), value)

    def for_librdkafka(self, value: str) -> str:
        """A value as librdkafka spells it."""
        if self.times != 1 and value.isascii() and value.isdigit():
            return str(max(1, int(value) // self.times))
        return value


_K = ClientKey
_ACKS = {"-1": "all"}
_BATCHES = "Sluice decides which messages a batch contains"
_GROUPS = "Sluice assigns partitions and commits offsets itself"
_LOOKED = "scan.topic-partition-discovery.interval enables discovery"
_LOGS = "Java's client logs through Spark's log settings"

CLIENT_KEYS = (
    # connections
    _K("metadata.max.age.ms", "metadata.max.age.ms", "The maximum age of cached metadata."),
    _K("topic.metadata.refresh.interval.ms", "", "How often librdkafka refreshes topic metadata."),
    _K("topic.metadata.refresh.fast.interval.ms", "", "How soon librdkafka refreshes metadata after a leader is lost."),
    _K("topic.metadata.refresh.sparse", "", "Whether librdkafka requests metadata only for topics in use."),
    _K("topic.metadata.propagation.max.ms", "", "How long librdkafka waits for a new topic to propagate."),
    _K("topic.blacklist", "", "Topics that librdkafka ignores."),
    _K("socket.timeout.ms", "request.timeout.ms", "The request timeout.", also=("request.timeout.ms",)),
    _K("", "default.api.timeout.ms", "The timeout of calls of the Java client."),
    _K("socket.connection.setup.timeout.ms", "socket.connection.setup.timeout.ms", "The initial timeout for setting up a connection."),
    _K("", "socket.connection.setup.timeout.max.ms", "The maximum timeout for setting up a connection."),
    _K("socket.send.buffer.bytes", "send.buffer.bytes", "The size of the socket's send buffer.", also=("send.buffer.bytes",)),
    _K("socket.receive.buffer.bytes", "receive.buffer.bytes", "The size of the socket's receive buffer."),
    _K("socket.keepalive.enable", "", "Whether librdkafka's connections use TCP keepalive."),
    _K("socket.nagle.disable", "", "Whether librdkafka disables Nagle's algorithm."),
    _K("socket.max.fails", "", "The number of failures after which librdkafka closes a connection."),
    _K("broker.address.ttl", "", "How long librdkafka caches the address of a broker."),
    _K("broker.address.family", "", "The address family librdkafka uses: any, v4 or v6."),
    _K("client.dns.lookup", "client.dns.lookup", "How host names of brokers are resolved."),
    _K("connections.max.idle.ms", "connections.max.idle.ms", "The time after which an idle connection is closed."),
    _K("reconnect.backoff.ms", "reconnect.backoff.ms", "The initial backoff before reconnecting."),
    _K("reconnect.backoff.max.ms", "reconnect.backoff.max.ms", "The maximum backoff before reconnecting."),
    _K("retry.backoff.ms", "retry.backoff.ms", "The initial backoff before a request is retried."),
    _K("retry.backoff.max.ms", "retry.backoff.max.ms", "The maximum backoff before a request is retried."),
    _K("message.max.bytes", "max.request.size", "The maximum size of a request.", PRODUCER, also=("max.request.size",)),
    _K("message.copy.max.bytes", "", "The maximum size of messages that librdkafka copies.", PRODUCER),
    _K("receive.message.max.bytes", "", "The maximum size of a response that librdkafka accepts."),
    _K("max.in.flight.requests.per.connection", "max.in.flight.requests.per.connection", "The maximum number of unacknowledged requests per connection.", PRODUCER, also=("max.in.flight",)),
    _K("metadata.recovery.strategy", "metadata.recovery.strategy", "What to do when no known broker is available."),
    _K("metadata.recovery.rebootstrap.trigger.ms", "", "The time after which the client bootstraps again."),
    _K("client.rack", "client.rack", "The rack of the client, so that it can read from the nearest replica."),
    _K("allow.auto.create.topics", "allow.auto.create.topics", "Whether a metadata request may create the topic.", CONSUMER),
    _K("api.version.request", "", "Whether librdkafka requests the API versions of the brokers."),
    _K("api.version.request.timeout.ms", "", "How long librdkafka waits for the API versions."),
    _K("api.version.fallback.ms", "", "How long librdkafka uses broker.version.fallback if that request fails."),
    _K("broker.version.fallback", "", "The version librdkafka assumes for old brokers."),
    _K("enable.metrics.push", "enable.metrics.push", "Whether clients send their metrics to the brokers."),
    # logs
    _K("debug", "", "The debug contexts that librdkafka logs."),
    _K("log_level", "", "The log level of librdkafka."),
    _K("log.connection.close", "", "Whether librdkafka logs lost connections."),
    _K("log.thread.name", "", "Whether librdkafka logs thread names."),
    _K("statistics.interval.ms", "", "The interval of librdkafka's statistics.", unused=_LOGS),
    # consumers
    _K("fetch.min.bytes", "fetch.min.bytes", "The minimum number of bytes in a fetch response.", CONSUMER),
    _K("fetch.max.bytes", "fetch.max.bytes", "The maximum number of bytes in a fetch response.", CONSUMER),
    _K("fetch.wait.max.ms", "fetch.max.wait.ms", "How long the broker waits for fetch.min.bytes.", CONSUMER, also=("fetch.max.wait.ms",)),
    _K("max.partition.fetch.bytes", "max.partition.fetch.bytes", "The maximum number of bytes per partition in a fetch response.", CONSUMER, also=("fetch.message.max.bytes",)),
    _K("fetch.error.backoff.ms", "", "How long librdkafka waits after a failed fetch.", CONSUMER),
    _K("queued.min.messages", "", "The minimum number of messages that librdkafka prefetches.", CONSUMER),
    _K("queued.max.messages.kbytes", "", "The maximum amount of data that librdkafka prefetches.", CONSUMER),
    _K("check.crcs", "check.crcs", "Whether the checksums of messages are verified.", CONSUMER),
    _K("isolation.level", "isolation.level", "Whether messages of open and aborted transactions are read.", CONSUMER),
    _K("", "max.poll.records", "The maximum number of messages returned by a poll.", CONSUMER),
    _K("session.timeout.ms", "session.timeout.ms", "The time after which the group removes a member without heartbeats.", CONSUMER),
    _K("heartbeat.interval.ms", "heartbeat.interval.ms", "The interval of heartbeats to the group.", CONSUMER),
    _K("max.poll.interval.ms", "max.poll.interval.ms", "The maximum time between two polls.", CONSUMER),
    _K("group.instance.id", "group.instance.id", "The id of a static group member.", CONSUMER, unused=_GROUPS),
    _K("group.protocol", "group.protocol", "The group protocol.", CONSUMER, unused=_GROUPS),
    _K("partition.assignment.strategy", "partition.assignment.strategy", "The partition assignment strategy.", CONSUMER, unused=_GROUPS),
    _K("enable.auto.commit", "enable.auto.commit", "Whether the client commits offsets automatically.", CONSUMER, unused=_GROUPS),
    _K("auto.commit.interval.ms", "auto.commit.interval.ms", "The interval of automatic commits.", CONSUMER, unused=_GROUPS),
    _K("enable.auto.offset.store", "", "Whether librdkafka stores offsets automatically.", CONSUMER, unused=_GROUPS),
    _K("enable.partition.eof", "", "Whether librdkafka reports the end of a partition.", CONSUMER, unused=_BATCHES),
    _K("consume.callback.max.messages", "", "The maximum number of messages per callback of librdkafka.", CONSUMER, unused=_BATCHES),
    _K("offset.store.method", "", "Where librdkafka stores offsets.", CONSUMER, unused=_GROUPS),
    _K("auto.offset.reset", "auto.offset.reset", "Where to start if the group has no committed offsets.", CONSUMER,
       only=("earliest", "latest", "none"),
       words={"smallest": "earliest", "beginning": "earliest", "largest": "latest", "end": "latest", "error": "none"}),
    # what Flink keeps among the properties
    _K("", "client.id.prefix", "The prefix of the client ids of Flink.", CONSUMER, unused="the client id is that of the table"),
    _K("", "partition.discovery.interval.ms", "The interval at which Flink discovers partitions.", CONSUMER, unused=_LOOKED),
    _K("", "flink.partition-discovery.interval-millis", "The same, in older versions.", CONSUMER, unused=_LOOKED),
    _K("", "flink.poll-timeout", "The timeout of Flink's polls.", CONSUMER, unused="reading never blocks on a poll"),
    _K("", "flink.disable-metrics", "Whether Flink disables the metrics of its clients.", unused=_LOGS),
    _K("", "register.consumer.metrics", "Whether Flink exposes the metrics of its consumers.", CONSUMER, unused=_LOGS),
    _K("", "zookeeper.connect", "The address of ZooKeeper, for very old brokers.", unused="clients connect to the brokers only"),
    # producers
    _K("acks", "acks", "The number of acknowledgements required for a message.", PRODUCER, also=("request.required.acks",), words=_ACKS),
    _K("retries", "retries", "The maximum number of retries.", PRODUCER, also=("message.send.max.retries",)),
    _K("linger.ms", "linger.ms", "How long the producer waits to fill a batch.", PRODUCER, also=("queue.buffering.max.ms",)),
    _K("batch.size", "batch.size", "The maximum size of a batch of messages.", PRODUCER),
    _K("batch.num.messages", "", "The maximum number of messages in a batch of librdkafka.", PRODUCER),
    _K("queue.buffering.max.messages", "", "The maximum number of messages in librdkafka's send queue.", PRODUCER),
    _K("queue.buffering.max.kbytes", "buffer.memory", "The size of the send buffer.", PRODUCER, times=1024),
    _K("queue.buffering.backpressure.threshold", "", "The number of outstanding requests above which librdkafka collects larger batches.", PRODUCER),
    _K("", "max.block.ms", "How long sending may block while the buffer is full.", PRODUCER),
    _K("compression.type", "compression.type", "The compression codec.", PRODUCER, also=("compression.codec",)),
    _K("compression.level", "", "The compression level of librdkafka.", PRODUCER),
    _K("", "compression.gzip.level", "The compression level of gzip.", PRODUCER),
    _K("", "compression.lz4.level", "The compression level of lz4.", PRODUCER),
    _K("", "compression.zstd.level", "The compression level of zstd.", PRODUCER),
    _K("message.timeout.ms", "delivery.timeout.ms", "The maximum time for the delivery of a message.", PRODUCER, also=("delivery.timeout.ms",)),
    _K("enable.idempotence", "enable.idempotence", "Whether the producer is idempotent: retries create no duplicates.", PRODUCER),
    _K("enable.gapless.guarantee", "", "Whether librdkafka fails rather than leave a gap in the sequence of messages.", PRODUCER),
    _K("transaction.timeout.ms", "transaction.timeout.ms", "The time after which the broker aborts an open transaction.", PRODUCER),
    _K("sticky.partitioning.linger.ms", "", "How long librdkafka sends messages without a key to the same partition.", PRODUCER),
    _K("queuing.strategy", "", "The order in which librdkafka sends queued messages.", PRODUCER),
    _K("", "partitioner.ignore.keys", "Whether the partitioner ignores keys.", PRODUCER),
    _K("", "partitioner.adaptive.partitioning.enable", "Whether slow brokers receive fewer messages.", PRODUCER),
    # security
    _K("security.protocol", "security.protocol", "The protocol used to communicate with the brokers."),
    _K("sasl.mechanism", "sasl.mechanism", "The SASL mechanism.", also=("sasl.mechanisms",)),
    _K("sasl.username", "", "The SASL user name.", who=OPERATOR),
    _K("sasl.password", "", "The SASL password.", who=OPERATOR, secret=True),
    _K("sasl.kerberos.service.name", "sasl.kerberos.service.name", "The Kerberos service name of the brokers.", who=OPERATOR),
    _K("sasl.kerberos.principal", "", "The Kerberos principal.", who=OPERATOR),
    _K("sasl.kerberos.keytab", "", "The keytab file.", who=OPERATOR),
    _K("sasl.kerberos.min.time.before.relogin", "sasl.kerberos.min.time.before.relogin", "The minimum time between two Kerberos logins.", who=OPERATOR),
    _K("", "sasl.kerberos.ticket.renew.jitter", "The random jitter of ticket renewals.", who=OPERATOR),
    _K("", "sasl.kerberos.ticket.renew.window.factor", "The fraction of a ticket's lifetime after which it is renewed.", who=OPERATOR),
    _K("sasl.oauthbearer.token.endpoint.url", "sasl.oauthbearer.token.endpoint.url", "The URL of the token endpoint.", who=OPERATOR),
    _K("sasl.oauthbearer.client.id", "", "The OAuth client id.", who=OPERATOR),
    _K("sasl.oauthbearer.client.secret", "", "The OAuth client secret.", who=OPERATOR, secret=True),
    _K("sasl.oauthbearer.scope", "", "The OAuth scope of the token.", who=OPERATOR),
    _K("sasl.oauthbearer.method", "", "How librdkafka obtains tokens; oidc if a token endpoint is set.", who=OPERATOR),
    _K("sasl.oauthbearer.extensions", "", "The SASL extensions that librdkafka sends with a token.", who=OPERATOR),
    _K("enable.sasl.oauthbearer.unsecure.jwt", "", "Whether the client creates unsigned tokens, for tests.", who=OPERATOR),
    _K("sasl.oauthbearer.config", "", "The claims of unsigned tokens, as principal=<name>.", who=OPERATOR),
    _K("ssl.ca.location", "ssl.truststore.location", "The file with trusted CA certificates.", who=OPERATOR),
    _K("ssl.ca.pem", "ssl.truststore.certificates", "Trusted CA certificates, in PEM format."),
    _K("", "ssl.truststore.type", "The type of the truststore."),
    _K("", "ssl.truststore.password", "The password of that file.", secret=True),
    _K("ssl.certificate.location", "", "The file with the client certificate.", who=OPERATOR),
    _K("ssl.key.location", "", "The file with the client's private key.", who=OPERATOR),
    _K("ssl.certificate.pem", "ssl.keystore.certificate.chain", "The client certificate, in PEM format."),
    _K("ssl.key.pem", "ssl.keystore.key", "The client's private key, in PEM format.", secret=True),
    _K("ssl.key.password", "ssl.key.password", "The password of the client's private key.", secret=True),
    _K("ssl.keystore.location", "ssl.keystore.location", "The keystore file with the client's private key and certificate.", who=OPERATOR),
    _K("ssl.keystore.password", "ssl.keystore.password", "The password of that file.", secret=True),
    _K("", "ssl.keystore.type", "The type of the keystore."),
    _K("ssl.cipher.suites", "ssl.cipher.suites", "The allowed cipher suites."),
    _K("", "ssl.protocol", "The TLS version."),
    _K("", "ssl.enabled.protocols", "The allowed TLS versions."),
    _K("ssl.endpoint.identification.algorithm", "ssl.endpoint.identification.algorithm", "How the broker's host name is verified.", who=OPERATOR),
    _K("enable.ssl.certificate.verification", "", "Whether librdkafka verifies the broker's certificate.", who=OPERATOR),
    _K("ssl.crl.location", "", "The file with the certificate revocation list.", who=OPERATOR),
)  # fmt: skip

FORBIDDEN: Mapping[str, str] = {
    "config.providers": "it reads files and environment variables of the host",
    "interceptor.classes": "it runs a class",
    "metric.reporters": "it runs a class",
    "partitioner.class": "it runs a class; use sink.partitioner to select one that is known",
    "key.deserializer": "the table's format decides it",
    "value.deserializer": "the table's format decides it",
    "key.serializer": "the table's format decides it",
    "value.serializer": "the table's format decides it",
    "security.providers": "it runs a class",
    "ssl.engine.factory.class": "it runs a class",
    "ssl.engine.location": "it loads a library",
    "ssl.providers": "it loads a library",
    "plugin.library.paths": "it loads a library",
    "sasl.kerberos.kinit.cmd": "it runs a command; use a keytab or the ticket cache of the system",
    "sasl.login.class": "it runs a class",
    "sasl.login.callback.handler.class": "it runs a class",
    "sasl.client.callback.handler.class": "it runs a class",
    "sasl.oauthbearer": "it reads URLs of its own",
    "bootstrap.servers": "the table names its brokers",
    "metadata.broker.list": "the table names its brokers",
    "group.id": "the table names its group",
    "client.id": "the table names its client",
    "transactional.id": "Sluice chooses the transactional ids; set sink.transactional-id-prefix instead",
    "auto.include.jmx.reporter": "it exposes the process to others",
}
"""Names, and prefixes of names up to a dot, that cannot be set, and why."""


@cache
def _by_name(spelling: str) -> Mapping[str, ClientKey]:
    found: dict[str, ClientKey] = {}
    for key in CLIENT_KEYS:
        own = key.java if spelling == JAVA else key.librdkafka
        for name in (own, *key.also):
            if name:
                found.setdefault(name, key)
    for key in CLIENT_KEYS:  # what only the other client knows
        found.setdefault(key.name, key)
    return found


def find(name: str, spelling: str, *, trusted: bool) -> ClientKey:
    """The property of that name; `trusted` is for configuration files.

    Raises:
        SluiceError: OPTION_REFUSED for one that may not be set, UNKNOWN_SETTING for others.
    """
    known = _by_name(spelling)
    key = known.get(name)
    for forbidden, reason in FORBIDDEN.items():
        if key is None and (name == forbidden or name.startswith(f"{forbidden}.")):
            raise errors.OPTION_REFUSED(option=name, reason=reason)
    if key is None:
        hint = errors.nearest(name, known) or "It is no property of a Kafka client that may be set."
        raise errors.UNKNOWN_SETTING(setting=name, hint=hint)
    if key.who == OPERATOR and not trusted:
        reason = "only the server's configuration file may set it (sluice serve --config)"
        raise errors.OPTION_REFUSED(option=name, reason=reason)
    return key


def names() -> Iterable[str]:
    """What Java's client calls the properties that a table may set."""
    return (name for name, key in _by_name(JAVA).items() if key.who != OPERATOR)


def known() -> Iterable[ClientKey]:
    """Every property that may be set."""
    return CLIENT_KEYS


@cache
def by_name() -> Mapping[str, ClientKey]:
    """The properties by their names here."""
    return {key.name: key for key in CLIENT_KEYS}
