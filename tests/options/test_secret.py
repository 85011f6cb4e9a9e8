from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from sluice.parameters.secret import Secret

if TYPE_CHECKING:
    import pytest


def test_a_secret_shows_only_when_asked(caplog: pytest.LogCaptureFixture) -> None:
    secret = Secret("S3CR3T")
    with caplog.at_level(logging.INFO):
        logging.getLogger("x").info("%s %r", secret, secret)
    shown = [str(secret), repr(secret), f"{secret:>20}", "%s" % secret, str([secret]), caplog.text]  # noqa: UP031
    assert all("[HIDDEN]" in text and "S3CR3T" not in text for text in shown)
    assert secret.reveal() == "S3CR3T"


def test_secrets_compare_by_what_they_hide() -> None:
    assert Secret("a") == Secret("a")
    assert Secret("a") != Secret("b")
    assert not Secret("")
