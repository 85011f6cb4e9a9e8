"""Which settings of an operator's stay off Spark's command line."""

from __future__ import annotations

from sluice.engine.spark.launch import apart, authentication
from sluice.engine.spark.slots import slotted


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
    }
    hidden = {"spark.authenticate.secret": "7"}
    every = shown | hidden | {f"spark.hadoop.{name}": value for name, value in secret.items()}
    assert apart(every) == (shown, hidden, secret)


def test_spark_authenticates_its_peers() -> None:
    """With a secret of Sluice's where Spark makes none; a standalone master's is its operator's."""
    for master in ("yarn", "k8s://https://h:1"):
        assert authentication(master) == {"spark.authenticate": "true"}
    for master in ("local[2+2+2]", "local-cluster[2,1,1024]"):
        one, other = (authentication(master) for _ in range(2))
        assert one["spark.authenticate"] == "true"
        assert one["spark.authenticate.secret"] != other["spark.authenticate.secret"]
    assert authentication("spark://h:7077") == {}


def test_local_mode_has_slots_of_three_kinds() -> None:
    assert slotted("local") == "local[1+1+2]"
    assert slotted("local[*]") == "local[*+*+2]"
    assert slotted("local[4]") == slotted("local[4, 2]") == "local[4+4+2]"
    for master in ("spark://h:7077", "yarn", "local-cluster[2,1,1024]"):
        assert slotted(master) == master
