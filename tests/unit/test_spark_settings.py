"""Which settings of an operator's stay off Spark's command line."""

from __future__ import annotations

from sluice.pipelines.spark import apart


def test_logins_to_file_systems_are_not_on_the_command_line() -> None:
    secret = {
        "fs.s3a.secret.key": "1",
        "fs.s3a.bucket.lake.secret.key": "2",
        "fs.s3a.session.token": "3",
        "fs.azure.account.key.lake": "4",
        "fs.azure.account.oauth2.client.secret": "5",
        "fs.s3a.encryption.key": "6",
    }
    shown = {
        "spark.hadoop.fs.s3a.endpoint": "e",
        "spark.hadoop.fs.s3a.access.key": "k",
        "spark.hadoop.hadoop.security.token.service.use_ip": "false",
        "spark.authenticate.secret": "Spark has to know it when it starts",
    }
    every = shown | {f"spark.hadoop.{name}": value for name, value in secret.items()}
    assert apart(every) == (shown, secret)
