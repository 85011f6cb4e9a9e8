"""Options that say who asks and how the brokers are spoken to."""
# ruff: noqa: E501 - a row is a line

from __future__ import annotations

from sluice.options.kinds import Hidden, Text
from sluice.options.option import Option

PROTOCOLS = ("plaintext", "ssl", "sasl_plaintext", "sasl_ssl")
MECHANISMS = ("GSSAPI", "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")

SECURITY = (
    Option("security_protocol", {"clickhouse": "kafka_security_protocol", "flink": "properties.security.protocol", "dli": "connector.properties.security.protocol"},
           Text(("", *PROTOCOLS)), "How the brokers are spoken to.", ""),
    Option("sasl_mechanism", {"clickhouse": "kafka_sasl_mechanism", "flink": "properties.sasl.mechanism", "dli": "connector.properties.sasl.mechanism"},
           Text(("", *MECHANISMS)), "How the user is authenticated.", ""),
    Option("sasl_username", {"clickhouse": "kafka_sasl_username"}, Text(), "The user.", ""),
    Option("sasl_password", {"clickhouse": "kafka_sasl_password"}, Hidden(), "The user's password."),
    Option("ssl_ca", {"clickhouse": "kafka_ssl_ca_pem"}, Text(), "Certificates that a broker's is checked with, as PEM text; those of the system if empty.", ""),
    Option("ssl_certificate", {"clickhouse": "kafka_ssl_certificate_pem"}, Text(), "The client's certificate, as PEM text.", ""),
    Option("ssl_key", {"clickhouse": "kafka_ssl_key_pem"}, Hidden(), "The client's key, as PEM text (PKCS #8)."),
    Option("ssl_key_password", {"clickhouse": "kafka_ssl_key_password"}, Hidden(), "The password of the client's key."),
    Option("sasl_jaas", {"flink": "properties.sasl.jaas.config", "dli": "connector.properties.sasl.jaas.config"}, Hidden(),
           "The user and password as Java writes them; only Kafka's modules for PLAIN and SCRAM are taken."),
)  # fmt: skip
