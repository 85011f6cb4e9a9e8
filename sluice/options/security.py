"""Options of authentication and encryption."""
# ruff: noqa: E501 - a row is a line

from __future__ import annotations

from sluice.parameters.kinds import Hidden, Text
from sluice.parameters.option import Option

PROTOCOLS = ("plaintext", "ssl", "sasl_plaintext", "sasl_ssl")
MECHANISMS = ("GSSAPI", "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")

SECURITY = (
    Option("security_protocol", {"clickhouse": "kafka_security_protocol", "flink": "properties.security.protocol", "dli": "connector.properties.security.protocol"},
           Text(("", *PROTOCOLS)), "The protocol used to communicate with the brokers.", ""),
    Option("sasl_mechanism", {"clickhouse": "kafka_sasl_mechanism", "flink": "properties.sasl.mechanism", "dli": "connector.properties.sasl.mechanism"},
           Text(("", *MECHANISMS)), "The SASL mechanism.", ""),
    Option("sasl_username", {"clickhouse": "kafka_sasl_username"}, Text(), "The SASL user name.", ""),
    Option("sasl_password", {"clickhouse": "kafka_sasl_password"}, Hidden(), "The SASL password."),
    Option("ssl_ca", {"clickhouse": "kafka_ssl_ca_pem"}, Text(), "Trusted CA certificates, in PEM format; those of the system if empty.", ""),
    Option("ssl_certificate", {"clickhouse": "kafka_ssl_certificate_pem"}, Text(), "The client certificate, in PEM format.", ""),
    Option("ssl_key", {"clickhouse": "kafka_ssl_key_pem"}, Hidden(), "The private key of the client, in PEM format (PKCS #8)."),
    Option("ssl_key_password", {"clickhouse": "kafka_ssl_key_password"}, Hidden(), "The password of the private key."),
    Option("sasl_jaas", {"flink": "properties.sasl.jaas.config", "dli": "connector.properties.sasl.jaas.config"}, Hidden(),
           "The JAAS login configuration; only Kafka's login modules for PLAIN and SCRAM are accepted."),
)  # fmt: skip
