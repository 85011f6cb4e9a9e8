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
from sluice.options.secret import HIDDEN, Secret

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
        """A value as text in Java's units and words, or as a secret.

        Raises:
            SluiceError: BAD_ARGUMENTS for what is no text, or would be filled in from elsewhere.
        """
        text = str(given).lower() if isinstance(given, bool) else str(given)
        if isinstance(given, Secret):
            text = given.reveal()
        if "${" in text:
            shown = HIDDEN if self.secret else f"'{text}'"
            reason = f"Bad value {shown} for {self.name}: '${{' is not filled in and not allowed"
            raise errors.BAD_ARGUMENTS(reason=reason)
        if spelling == LIBRDKAFKA:
            text = self._from_librdkafka(text)
        if self.only and text.lower() not in self.only:
            known = ", ".join(self.only)
            raise errors.BAD_ARGUMENTS(
                reason=f"Bad value '{text}' for {self.name}: one of {known} is expected"
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
_BATCHES = "Sluice decides what a batch holds"
_GROUPS = "Sluice assigns partitions and commits offsets itself"
_LOOKED = "new partitions are looked for before every batch"
_LOGS = "Java's client logs through Spark's log settings"

CLIENT_KEYS = (
    # connections
    _K("metadata.max.age.ms", "metadata.max.age.ms", "How long what is known of topics and brokers stays valid."),
    _K("topic.metadata.refresh.interval.ms", "", "How often librdkafka asks about topics again."),
    _K("topic.metadata.refresh.fast.interval.ms", "", "How soon librdkafka asks again for a lost leader."),
    _K("topic.metadata.refresh.sparse", "", "Whether librdkafka asks only about topics in use."),
    _K("topic.metadata.propagation.max.ms", "", "How long librdkafka waits for a new topic to be known."),
    _K("topic.blacklist", "", "Topics that librdkafka does not see."),
    _K("socket.timeout.ms", "request.timeout.ms", "How long a request may take.", also=("request.timeout.ms",)),
    _K("", "default.api.timeout.ms", "How long a call of Java's client may take."),
    _K("socket.connection.setup.timeout.ms", "socket.connection.setup.timeout.ms", "How long setting up a connection may take."),
    _K("", "socket.connection.setup.timeout.max.ms", "The most that time grows to."),
    _K("socket.send.buffer.bytes", "send.buffer.bytes", "The socket's buffer for sending.", also=("send.buffer.bytes",)),
    _K("socket.receive.buffer.bytes", "receive.buffer.bytes", "The socket's buffer for receiving."),
    _K("socket.keepalive.enable", "", "Whether librdkafka's connections are kept alive."),
    _K("socket.nagle.disable", "", "Whether librdkafka sends small packets at once."),
    _K("socket.max.fails", "", "Failures after which librdkafka drops a connection."),
    _K("broker.address.ttl", "", "How long librdkafka remembers an address."),
    _K("broker.address.family", "", "Which addresses librdkafka uses: any, v4 or v6."),
    _K("client.dns.lookup", "client.dns.lookup", "How the names of brokers become addresses."),
    _K("connections.max.idle.ms", "connections.max.idle.ms", "When an idle connection is closed."),
    _K("reconnect.backoff.ms", "reconnect.backoff.ms", "The first wait before connecting again."),
    _K("reconnect.backoff.max.ms", "reconnect.backoff.max.ms", "The longest wait before connecting again."),
    _K("retry.backoff.ms", "retry.backoff.ms", "The first wait before asking again."),
    _K("retry.backoff.max.ms", "retry.backoff.max.ms", "The longest wait before asking again."),
    _K("message.max.bytes", "max.request.size", "The largest request.", PRODUCER, also=("max.request.size",)),
    _K("message.copy.max.bytes", "", "Up to what size librdkafka copies a message.", PRODUCER),
    _K("receive.message.max.bytes", "", "The largest answer librdkafka takes."),
    _K("max.in.flight.requests.per.connection", "max.in.flight.requests.per.connection", "Requests under way at a time.", PRODUCER, also=("max.in.flight",)),
    _K("metadata.recovery.strategy", "metadata.recovery.strategy", "What to do when no known broker answers."),
    _K("metadata.recovery.rebootstrap.trigger.ms", "", "When to begin with the first brokers again."),
    _K("client.rack", "client.rack", "Where the client stands, so that it reads nearby."),
    _K("allow.auto.create.topics", "allow.auto.create.topics", "Whether asking for a topic makes it.", CONSUMER),
    _K("api.version.request", "", "Whether librdkafka asks brokers what they can do."),
    _K("api.version.request.timeout.ms", "", "How long librdkafka waits for that answer."),
    _K("api.version.fallback.ms", "", "How long librdkafka goes without that answer."),
    _K("broker.version.fallback", "", "What librdkafka takes old brokers for."),
    _K("enable.metrics.push", "enable.metrics.push", "Whether clients send their metrics to the brokers."),
    # logs
    _K("debug", "", "What librdkafka writes to the log."),
    _K("log_level", "", "How much librdkafka writes to the log."),
    _K("log.connection.close", "", "Whether librdkafka logs lost connections."),
    _K("log.thread.name", "", "Whether librdkafka's log names its threads."),
    _K("statistics.interval.ms", "", "How often librdkafka counts what it did.", unused=_LOGS),
    # consumers
    _K("fetch.min.bytes", "fetch.min.bytes", "The least an answer should hold.", CONSUMER),
    _K("fetch.max.bytes", "fetch.max.bytes", "The most an answer should hold.", CONSUMER),
    _K("fetch.wait.max.ms", "fetch.max.wait.ms", "How long the broker waits for that least.", CONSUMER, also=("fetch.max.wait.ms",)),
    _K("max.partition.fetch.bytes", "max.partition.fetch.bytes", "The most of one partition in an answer.", CONSUMER, also=("fetch.message.max.bytes",)),
    _K("fetch.error.backoff.ms", "", "How long librdkafka waits after a failed fetch.", CONSUMER),
    _K("queued.min.messages", "", "How many messages librdkafka reads ahead.", CONSUMER),
    _K("queued.max.messages.kbytes", "", "How much librdkafka reads ahead.", CONSUMER),
    _K("check.crcs", "check.crcs", "Whether checksums of messages are checked.", CONSUMER),
    _K("isolation.level", "isolation.level", "Whether messages of open transactions are read.", CONSUMER),
    _K("", "max.poll.records", "How many messages a poll gives.", CONSUMER),
    _K("session.timeout.ms", "session.timeout.ms", "When the group gives a silent member up.", CONSUMER),
    _K("heartbeat.interval.ms", "heartbeat.interval.ms", "How often a member tells the group it is there.", CONSUMER),
    _K("max.poll.interval.ms", "max.poll.interval.ms", "How long a member may be busy.", CONSUMER),
    _K("group.instance.id", "group.instance.id", "A fixed name for a member.", CONSUMER, unused=_GROUPS),
    _K("group.protocol", "group.protocol", "How members agree.", CONSUMER, unused=_GROUPS),
    _K("partition.assignment.strategy", "partition.assignment.strategy", "How members share partitions.", CONSUMER, unused=_GROUPS),
    _K("enable.auto.commit", "enable.auto.commit", "Whether the client commits offsets by itself.", CONSUMER, unused=_GROUPS),
    _K("auto.commit.interval.ms", "auto.commit.interval.ms", "How often it would.", CONSUMER, unused=_GROUPS),
    _K("enable.auto.offset.store", "", "Whether librdkafka notes what was read.", CONSUMER, unused=_GROUPS),
    _K("enable.partition.eof", "", "Whether librdkafka says that a partition is read up.", CONSUMER, unused=_BATCHES),
    _K("consume.callback.max.messages", "", "Messages per callback of librdkafka.", CONSUMER, unused=_BATCHES),
    _K("offset.store.method", "", "Where librdkafka keeps offsets.", CONSUMER, unused=_GROUPS),
    _K("auto.offset.reset", "auto.offset.reset", "Where a group without offsets begins.", CONSUMER,
       only=("earliest", "latest", "none"),
       words={"smallest": "earliest", "beginning": "earliest", "largest": "latest", "end": "latest", "error": "none"}),
    # what Flink keeps among the properties
    _K("", "client.id.prefix", "How the names of Flink's clients begin.", CONSUMER, unused="the table's client id is the name"),
    _K("", "partition.discovery.interval.ms", "How often Flink looks for partitions.", CONSUMER, unused=_LOOKED),
    _K("", "flink.partition-discovery.interval-millis", "The same, in older versions.", CONSUMER, unused=_LOOKED),
    _K("", "flink.poll-timeout", "How long Flink's polls wait.", CONSUMER, unused="reading never waits on a poll"),
    _K("", "flink.disable-metrics", "Whether Flink counts what its clients do.", unused=_LOGS),
    _K("", "register.consumer.metrics", "Whether Flink shows what its clients count.", CONSUMER, unused=_LOGS),
    _K("", "zookeeper.connect", "Where ZooKeeper is, for brokers of the oldest versions.", unused="clients speak to the brokers alone"),
    # producers
    _K("acks", "acks", "How many brokers must have a message.", PRODUCER, also=("request.required.acks",), words=_ACKS),
    _K("retries", "retries", "How often a message is sent again.", PRODUCER, also=("message.send.max.retries",)),
    _K("linger.ms", "linger.ms", "How long messages wait for others.", PRODUCER, also=("queue.buffering.max.ms",)),
    _K("batch.size", "batch.size", "How many bytes are sent together.", PRODUCER),
    _K("batch.num.messages", "", "How many messages librdkafka sends together.", PRODUCER),
    _K("queue.buffering.max.messages", "", "How many messages wait in librdkafka.", PRODUCER),
    _K("queue.buffering.max.kbytes", "buffer.memory", "How much waits to be sent.", PRODUCER, times=1024),
    _K("queue.buffering.backpressure.threshold", "", "When librdkafka waits for slow brokers.", PRODUCER),
    _K("", "max.block.ms", "How long sending may wait for room.", PRODUCER),
    _K("compression.type", "compression.type", "How messages are compressed.", PRODUCER, also=("compression.codec",)),
    _K("compression.level", "", "How hard librdkafka compresses.", PRODUCER),
    _K("", "compression.gzip.level", "How hard gzip compresses.", PRODUCER),
    _K("", "compression.lz4.level", "How hard lz4 compresses.", PRODUCER),
    _K("", "compression.zstd.level", "How hard zstd compresses.", PRODUCER),
    _K("message.timeout.ms", "delivery.timeout.ms", "How long a message may take to arrive.", PRODUCER, also=("delivery.timeout.ms",)),
    _K("enable.idempotence", "enable.idempotence", "Whether a message sent again is kept once.", PRODUCER),
    _K("enable.gapless.guarantee", "", "Whether librdkafka fails rather than leave a gap.", PRODUCER),
    _K("transaction.timeout.ms", "transaction.timeout.ms", "When the broker ends an open transaction.", PRODUCER),
    _K("sticky.partitioning.linger.ms", "", "How long librdkafka stays with a partition.", PRODUCER),
    _K("queuing.strategy", "", "In which order librdkafka sends.", PRODUCER),
    _K("", "partitioner.ignore.keys", "Whether a key decides the partition.", PRODUCER),
    _K("", "partitioner.adaptive.partitioning.enable", "Whether slow brokers get fewer messages.", PRODUCER),
    # security
    _K("security.protocol", "security.protocol", "How the brokers are spoken to."),
    _K("sasl.mechanism", "sasl.mechanism", "How the user is authenticated.", also=("sasl.mechanisms",)),
    _K("sasl.username", "", "The user.", who=OPERATOR),
    _K("sasl.password", "", "The user's password.", who=OPERATOR, secret=True),
    _K("sasl.kerberos.service.name", "sasl.kerberos.service.name", "The brokers' name in Kerberos.", who=OPERATOR),
    _K("sasl.kerberos.principal", "", "The user's name in Kerberos.", who=OPERATOR),
    _K("sasl.kerberos.keytab", "", "The file with the user's key.", who=OPERATOR),
    _K("sasl.kerberos.min.time.before.relogin", "sasl.kerberos.min.time.before.relogin", "How long a login lasts at least.", who=OPERATOR),
    _K("", "sasl.kerberos.ticket.renew.jitter", "How much a renewal is moved at random.", who=OPERATOR),
    _K("", "sasl.kerberos.ticket.renew.window.factor", "When a ticket is renewed.", who=OPERATOR),
    _K("sasl.oauthbearer.token.endpoint.url", "sasl.oauthbearer.token.endpoint.url", "Where tokens come from.", who=OPERATOR),
    _K("sasl.oauthbearer.client.id", "", "Who asks for a token.", who=OPERATOR),
    _K("sasl.oauthbearer.client.secret", "", "The password that goes with it.", who=OPERATOR, secret=True),
    _K("sasl.oauthbearer.scope", "", "What the token is to be good for.", who=OPERATOR),
    _K("sasl.oauthbearer.method", "", "How librdkafka gets tokens; oidc if there is an endpoint.", who=OPERATOR),
    _K("sasl.oauthbearer.extensions", "", "What librdkafka sends with a token.", who=OPERATOR),
    _K("enable.sasl.oauthbearer.unsecure.jwt", "", "Whether tokens are made here, unsigned; for tests.", who=OPERATOR),
    _K("sasl.oauthbearer.config", "", "What such tokens say, as principal=<name>.", who=OPERATOR),
    _K("ssl.ca.location", "ssl.truststore.location", "The file with trusted certificates.", who=OPERATOR),
    _K("ssl.ca.pem", "ssl.truststore.certificates", "Trusted certificates, as text."),
    _K("", "ssl.truststore.type", "What sort of file those are in."),
    _K("", "ssl.truststore.password", "The password of that file.", secret=True),
    _K("ssl.certificate.location", "", "The file with the client's certificate.", who=OPERATOR),
    _K("ssl.key.location", "", "The file with the client's key.", who=OPERATOR),
    _K("ssl.certificate.pem", "ssl.keystore.certificate.chain", "The client's certificate, as text."),
    _K("ssl.key.pem", "ssl.keystore.key", "The client's key, as text.", secret=True),
    _K("ssl.key.password", "ssl.key.password", "The password of the client's key.", secret=True),
    _K("ssl.keystore.location", "ssl.keystore.location", "The file with the client's key and certificate.", who=OPERATOR),
    _K("ssl.keystore.password", "ssl.keystore.password", "The password of that file.", secret=True),
    _K("", "ssl.keystore.type", "What sort of file it is."),
    _K("ssl.cipher.suites", "ssl.cipher.suites", "Ciphers that may be used."),
    _K("", "ssl.protocol", "The version of TLS."),
    _K("", "ssl.enabled.protocols", "The versions of TLS that may be used."),
    _K("ssl.endpoint.identification.algorithm", "ssl.endpoint.identification.algorithm", "How a broker's name is checked.", who=OPERATOR),
    _K("enable.ssl.certificate.verification", "", "Whether librdkafka checks certificates.", who=OPERATOR),
    _K("ssl.crl.location", "", "The file with revoked certificates.", who=OPERATOR),
)  # fmt: skip

FORBIDDEN: Mapping[str, str] = {
    "config.providers": "it reads files and environment variables of the host",
    "interceptor.classes": "it runs a class",
    "metric.reporters": "it runs a class",
    "partitioner.class": "it runs a class; sink.partitioner chooses among those that are known",
    "key.deserializer": "the table's format decides it",
    "value.deserializer": "the table's format decides it",
    "key.serializer": "the table's format decides it",
    "value.serializer": "the table's format decides it",
    "security.providers": "it runs a class",
    "ssl.engine.factory.class": "it runs a class",
    "ssl.engine.location": "it loads a library",
    "ssl.providers": "it loads a library",
    "plugin.library.paths": "it loads a library",
    "sasl.kerberos.kinit.cmd": "it runs a command; give a keytab, or a ticket of the system's",
    "sasl.login.class": "it runs a class",
    "sasl.login.callback.handler.class": "it runs a class",
    "sasl.client.callback.handler.class": "it runs a class",
    "sasl.oauthbearer": "it reads addresses of its own",
    "bootstrap.servers": "the table names its brokers",
    "metadata.broker.list": "the table names its brokers",
    "group.id": "the table names its group",
    "client.id": "the table names its client",
    "transactional.id": "Sluice names its transactions itself; sink.transactional-id-prefix is for that",
    "auto.include.jmx.reporter": "it opens the process to others",
}
"""Names, and beginnings of names up to a dot, that nobody may set, and why."""


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
