"""Who may log in, from where, and how often."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from access.lab import Lab
from sluice import errors
from sluice.access.entities import Hosts
from sluice.access.hosts import allows
from sluice.access.logins import PER_ADDRESS, Credentials, Logins

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def logins(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with Lab(tmp_path_factory.mktemp("logins")) as lab:
        lab.run(
            "CREATE USER plain IDENTIFIED WITH plaintext_password BY 'pw'",
            "CREATE USER sha IDENTIFIED WITH sha256_password BY 'pw'",
            "CREATE USER twice IDENTIFIED WITH double_sha1_password BY 'pw'",
            "CREATE USER slow IDENTIFIED WITH bcrypt_password BY 'pw'",
            "CREATE USER hashed IDENTIFIED WITH double_sha1_hash BY "
            "'6bb4837eb74329105ee4568dda7dc67ed2ca2ad9'",
            "CREATE USER both IDENTIFIED BY 'one', plaintext_password BY 'two'",
            "CREATE USER near IDENTIFIED BY 'pw' HOST IP '10.1.0.0/16'",
            "CREATE USER late IDENTIFIED BY 'pw' VALID UNTIL '2020-01-01 00:00:00'",
            "CREATE USER open",
            "CREATE USER cert IDENTIFIED WITH ssl_certificate CN 'client-1', 'client-2'",
        )
        yield lab


def fresh(lab: Lab, **more: Any) -> Logins:
    return Logins(lab.session._engine.access, **more)


@pytest.mark.parametrize(
    ("user", "password", "address"),
    [
        ("plain", "pw", "10.0.0.1"), ("sha", "pw", "10.0.0.1"), ("twice", "pw", "::1"),
        ("slow", "pw", "10.0.0.1"), ("hashed", "123456", "10.0.0.1"), ("both", "one", "1.1.1.1"),
        ("both", "two", "1.1.1.1"), ("near", "pw", "10.1.2.3"), ("open", "", "127.0.0.1"),
        ("open", "whatever", "127.0.0.1"),
        ("default", "", "127.0.0.1"), ("near", "pw", "::ffff:10.1.2.3"),
    ],
)  # fmt: skip
def test_who_may_log_in(logins: Lab, user: str, password: str, address: str) -> None:
    checked = fresh(logins)
    given = Credentials(user, password, address)
    assert checked.login(given) == user
    assert checked.login(given) == user


@pytest.mark.parametrize(
    ("user", "password", "address"),
    [
        ("plain", "", "10.0.0.1"), ("plain", "PW", "10.0.0.1"), ("sha", "pw ", "10.0.0.1"),
        ("slow", "x", "10.0.0.1"), ("both", "three", "1.1.1.1"), ("near", "pw", "10.2.0.1"),
        ("late", "pw", "127.0.0.1"), ("open", "", "10.0.0.1"), ("default", "", "10.0.0.1"),
        ("nobody", "", "127.0.0.1"), ("nobody", "pw", "127.0.0.1"), ("cert", "", "127.0.0.1"),
        ("cert", "pw", "127.0.0.1"), ("open", "x", "10.0.0.1"),
    ],
)  # fmt: skip
def test_who_may_not(logins: Lab, user: str, password: str, address: str) -> None:
    with pytest.raises(errors.SluiceError) as caught:
        fresh(logins).login(Credentials(user, password, address))
    assert caught.value.condition.clickhouse_code == 516
    assert str(caught.value) == (
        f"{user}: Authentication failed: password is incorrect, or there is no user with such name."
    )


def test_a_user_without_a_password_in_a_closed_network(logins: Lab) -> None:
    assert fresh(logins).login(Credentials("open", "", "10.0.0.1", closed=True)) == "open"


def test_certificates(logins: Lab) -> None:
    checked = fresh(logins)
    shown = Credentials("cert", "", "10.0.0.1", True, ("client-2",))
    assert checked.login(shown) == "cert"
    for names, user in (((), "cert"), (("other",), "cert"), (("client-2",), "open")):
        with pytest.raises(errors.SluiceError):
            checked.login(Credentials(user, "", "127.0.0.1", True, names))


def test_failures_are_limited_and_others_are_not_hurt(logins: Lab) -> None:
    now = [0.0]
    checked = fresh(logins, clock=lambda: now[0])
    checked.login(Credentials("sha", "pw", "10.0.0.9"))
    for _ in range(PER_ADDRESS):
        with pytest.raises(errors.SluiceError, match="incorrect"):
            checked.login(Credentials("sha", "x", "10.0.0.9"))
    with pytest.raises(errors.SluiceError, match="too many"):
        checked.login(Credentials("twice", "pw", "10.0.0.9"))
    assert checked.login(Credentials("sha", "pw", "10.0.0.9")) == "sha"  # it was right before
    assert checked.login(Credentials("twice", "pw", "10.0.0.8")) == "twice"
    now[0] = 61.0
    assert checked.login(Credentials("twice", "pw", "10.0.0.9")) == "twice"


def test_a_password_that_was_changed_is_forgotten(logins: Lab) -> None:
    logins.run("CREATE USER fickle IDENTIFIED WITH bcrypt_password BY 'old'")
    checked = fresh(logins)
    began = time.monotonic()
    checked.login(Credentials("fickle", "old", "127.0.0.1"))
    slow = time.monotonic() - began
    began = time.monotonic()
    checked.login(Credentials("fickle", "old", "127.0.0.1"))
    assert time.monotonic() - began < slow / 2
    logins.run("ALTER USER fickle IDENTIFIED WITH bcrypt_password BY 'new'")
    with pytest.raises(errors.SluiceError):
        checked.login(Credentials("fickle", "old", "127.0.0.1"))


@pytest.mark.parametrize(
    ("hosts", "address", "allowed"),
    [
        (Hosts(any=True), "8.8.8.8", True),
        (Hosts(), "127.0.0.1", False),
        (Hosts(local=True), "127.0.0.1", True),
        (Hosts(local=True), "10.0.0.1", False),
        (Hosts(addresses=("fe80::/10",)), "fe80::1%eth0", True),
        (Hosts(likes=("10.0.%",)), "10.0.3.4", True),
        (Hosts(likes=("10.0.%",)), "10.1.3.4", False),
        (Hosts(patterns=(r"10\.\d+\.0\.1",)), "10.77.0.1", True),
        (Hosts(patterns=(r"10\.\d+\.0\.1",)), "110.77.0.1", False),
        (Hosts(names=("localhost",)), "127.0.0.1", True),
    ],
)
def test_hosts(hosts: Hosts, address: str, allowed: bool) -> None:
    assert allows(hosts, address) is allowed
