"""Which hosts the URL of a schema registry may lead to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from options.tables import flink

from sluice.config import Config, Hosts, check_url, load
from sluice.errors import SluiceError
from sluice.planner.topic_sink import flink_sink
from sluice.planner.topic_source import flink_source

if TYPE_CHECKING:
    from pathlib import Path

PRIVATE = (
    "127.0.0.1", "127.9.9.9", "localhost", "a.localhost", "[::1]", "[::]", "10.1.2.3",
    "172.16.0.1", "192.168.1.1", "169.254.169.254", "[fe80::1]", "[fd00::1]",
    "[::ffff:127.0.0.1]", "100.64.0.1",
)  # fmt: skip
PUBLIC = ("registry.example", "8.8.8.8", "[2606:4700::1111]")


def refused(url: str, hosts: Hosts | None = None) -> bool:
    """Whether it is, without a word of its password."""
    try:
        check_url(url, hosts)
    except SluiceError as error:
        return error.condition.name == "UNACCEPTABLE_URL" and "S3CR3T" not in error.text()
    return False


def test_without_a_list_only_public_addresses() -> None:
    for host in PRIVATE:
        assert refused(f"http://me:S3CR3T@{host}:8081/x"), host
    for host in PUBLIC:
        assert not refused(f"https://{host}:8081"), host


def test_a_list_has_the_last_word() -> None:
    hosts = Hosts(("r.lan", "127.0.0.1:8081"), (r"[a-z]+\.example",)).with_names(("Upper.Lan",))
    for good in ("r.lan:9", "R.LAN", "127.0.0.1:8081", "x.example", "upper.lan"):
        assert not refused(f"http://{good}", hosts), good
    for bad in ("127.0.0.1:8082", "127.0.0.1", "8.8.8.8", "x.example.org", "evil.r.lan"):
        assert refused(f"http://{bad}", hosts), bad
    assert refused("http://8.8.8.8", Hosts())
    assert hosts.flag() == "=r.lan,=127.0.0.1%3A8081,=upper.lan,~%5Ba-z%5D%2B%5C.example"


def test_an_address_without_a_port() -> None:
    with pytest.raises(SluiceError, match="cannot be parsed"):
        check_url("http://r:99999999", None)


def test_the_configuration(tmp_path: Path) -> None:
    """ClickHouse's own element; what else is in it is not known."""
    path = tmp_path / "config.xml"
    frame = "<clickhouse><remote_url_allow_hosts>{}</remote_url_allow_hosts></clickhouse>"
    listed = "<host>R.lan</host><host>s:8081</host><host_regexp>t[0-9]</host_regexp>"
    path.write_text(frame.format(listed))
    assert load(path).hosts == Hosts(("r.lan", "s:8081"), ("t[0-9]",))
    for wrong in ("<hots>x</hots>", "<host_regexp>(</host_regexp>"):
        path.write_text(frame.format(wrong))
        with pytest.raises(SluiceError, match=r"hots|host_regexp"):
            load(path)


def test_a_table_over_a_registry() -> None:
    """Both ways, for its values and its keys."""
    table = {
        "connector": "kafka", "topic": "t", "scan.startup.mode": "earliest-offset",
        "properties.bootstrap.servers": "h:1", "format": "avro-confluent",
        "avro-confluent.url": "http://me:S3CR3T@127.0.0.1:8081",
    }  # fmt: skip
    for use in (flink_source, flink_sink):
        with pytest.raises(SluiceError, match="its address is private") as caught:
            use(flink(table))
        assert "S3CR3T" not in caught.value.text()
        allowed = Config(hosts=Hosts(("127.0.0.1",)))
        assert use(flink(table), config=allowed).value.name == "avro-confluent"
