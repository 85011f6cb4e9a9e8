"""The tool as a process: help, mistakes, signals."""

from __future__ import annotations

import argparse
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from sluice import __version__
from sluice.cli import serve
from sluice.cli.main import COMMANDS
from sluice.config import OpenLineage
from sluice.parameters.secret import Secret

ROOT = Path(__file__).parents[2]
MORE = {
    "config": None,
    "catalog": "x://y",
    "spark": {"spark.a": "b=c", "spark.d": ""},
    "partitioners": ["a.B", "a:B"],
    "paths": ["/lake"],
    "hosts": ["r.lan:8081"],
    "store": "s3a://lake/w",
    "functions": ["a"],
    "copied": "new",
    "log_format": "json",
    "format_schemas": Path("/schemas"),
}
WITH_FAKE = """
import sys
from pathlib import Path
import sluice
from interfaces.fakes import FakeSession, result
def connect(data, *, master, **more):
    session = FakeSession(Path(data) / "logs", {"SELECT 1": result("x UInt8", (1,))})
    close = session.close
    session.close = lambda patience: (Path(data, "closed").write_text(f"{master} {more}"), close())
    return session
sluice.connect = connect
from sluice.cli.main import main
sys.exit(main())
"""


def cli(*args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sluice.cli", *args]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)


def test_help_names_every_command() -> None:
    done = cli("--help")
    assert done.returncode == 0
    assert all(f"{c.name} " in done.stdout and c.help in done.stdout for c in COMMANDS)


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys, sluice.cli.main as m; m.parser().format_help();"
        "heavy = {'pyspark', 'sqlglot', 'sqlalchemy', 'starlette', 'confluent_kafka', 'pyarrow'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("command", [c.name for c in COMMANDS])
def test_help_of_a_command(command: str) -> None:
    assert f"usage: sluice {command}" in cli(command, "--help").stdout


def test_version() -> None:
    assert cli("--version").stdout == f"sluice {__version__}\n"


@pytest.mark.parametrize(
    "args",
    [
        (),
        ("nope",),
        ("sql", "-e", "x", "-f", "y"),
        ("sql", "--data", "x", "--url", "y"),
        ("sql", "--dialect", "oracle"),
        ("demo", "--rows", "0"),
        ("serve", "--port", "x"),
        ("serve", "--conf", "spark.a"),
        ("serve", "--conf", "a=b"),
    ],
)
def test_wrong_usage(args: tuple[str, ...]) -> None:
    done = cli(*args)
    assert done.returncode == 2
    assert done.stderr.startswith("usage: sluice")
    assert "Traceback" not in done.stderr


def test_serve_refuses_an_open_address() -> None:
    done = cli("serve", "--host", "0.0.0.0")  # noqa: S104
    assert done.returncode == 1
    assert "--insecure" in done.stderr
    assert "Traceback" not in done.stderr


def test_serve_reports_that_the_port_is_in_use(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = cli("serve", "--port", str(port), "--data", str(tmp_path / "data"))
    assert done.returncode == 1
    sentence = f"sluice: Cannot listen on 127.0.0.1:{port}: the port is in use."
    assert done.stderr.startswith(sentence)
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("place", ["interfaces.fakes:NONE", "no.such:NAME", "interfaces.fakes"])
def test_functions_that_are_not_there(tmp_path: Path, place: str) -> None:
    done = cli("serve", "--port", "0", "--data", str(tmp_path), "--functions", place)
    assert done.returncode == 1
    assert done.stderr.startswith(f"sluice: --functions {place} cannot be loaded")
    assert len(done.stderr.splitlines()) == 1


def test_where_lineage_goes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENLINEAGE_API_KEY", "S3CR3T")
    parser = argparse.ArgumentParser()
    serve.configure(parser)
    assert serve._with_lineage(None, parser.parse_args([])) is None
    file = tmp_path / "events"
    given = ["--openlineage", str(file), "--openlineage-url", "https://h/x"]
    config = serve._with_lineage(None, parser.parse_args(given))
    assert config is not None
    assert config.openlineage == OpenLineage(file, "https://h/x", "sluice", Secret("S3CR3T"))
    assert "S3CR3T" not in str(config)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_serve_until_a_signal(tmp_path: Path, number: signal.Signals) -> None:
    command = [sys.executable, "-c", WITH_FAKE, "serve", "--port", "0", "--data", str(tmp_path)]
    command += ["--conf", "spark.a=b=c", "--conf", "spark.d=", "--catalog", "x://y"]
    command += ["--allow-partitioner", "a.B", "--allow-partitioner", "a:B"]
    command += ["--allow-host", "r.lan:8081"]
    command += ["--allow-path", "/lake", "--functions", "interfaces.fakes:FUNCTIONS"]
    command += ["--store", "s3a://lake/w", "--new-instance", "--log-format", "json"]
    command += ["--format-schemas", "/schemas"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"},
    ) as process:
        assert process.stdout is not None
        ready = process.stdout.readline()
        assert ready.startswith("Sluice is ready on http://127.0.0.1:")
        assert ready.endswith(f" (data: {tmp_path}, logs: {tmp_path / 'logs'})\n")
        url = ready.split()[4]
        with httpx.Client(trust_env=False) as client:
            assert client.post(url, content="SELECT 1").text == "1\n"
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (0, "", "")
    assert (tmp_path / "closed").read_text() == f"local[*] {MORE}"
