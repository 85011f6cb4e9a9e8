"""The process in which ClickHouse reads and writes messages: `python -I -c SOURCE PARENT`.

It is started by `sluice.transcode.Child`, also on executors that have no Sluice, and imports
nothing of it. Requests come on its standard input, answers go to its standard output: a head as
JSON, then bytes, each part after its length. It ends with its parent.

Messages are files in a folder of its own, in memory. Where the kernel can confine it (Landlock) it
sees no other file; elsewhere expressions in `Values` are not evaluated, since they might read some.
"""

from __future__ import annotations

import ctypes
import itertools
import json
import os
import re
import resource
import shutil
import signal
import struct
import sys
import sysconfig
import tempfile
import zlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterable

_LENGTH = struct.Struct("!I")
_PREFIX = "sluice-messages-"
_NICENESS = 5
_SHOWN = 1000
"""Characters of an error that are kept."""
_FIRST, _LEAST = 1 << 20, 8
"""How many messages a query reads while none is bad, and after one was."""
_KILLED_WITH_PARENT, _NO_NEW_PRIVILEGES = 1, 38  # prctl
_CREATE, _ADD, _RESTRICT = 444, 445, 446  # system calls of Landlock
_READS = 1 << 0 | 1 << 2 | 1 << 3  # execute, read a file, list a folder
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
"""How many rights to files each version of Landlock knows; later ones 16."""
_NETWORK_SINCE = 4
_SYSTEM = (
    *("/usr/lib", "/usr/lib64", "/lib", "/lib64", "/sys/fs/cgroup", "/sys/devices/system"),
    "/usr/share/zoneinfo",  # ORC looks for GMT there
    *("/proc/self", "/proc/meminfo", "/proc/cpuinfo", "/proc/stat"),
)
"""What Python and ClickHouse need of the system."""

_CONFIG = """<clickhouse>
  <path>{0}/data/</path>
  <tmp_path>{0}/tmp/</tmp_path>
  <user_files_path>{0}/</user_files_path>
  <format_schema_path>{0}/schemas/</format_schema_path>
  <users_config>{0}/users.xml</users_config>
  <timezone>UTC</timezone>
  <max_server_memory_usage>{1}</max_server_memory_usage>
  <mark_cache_size>1048576</mark_cache_size>
  <uncompressed_cache_size>0</uncompressed_cache_size>
</clickhouse>
"""
_USERS = """<clickhouse>
  <profiles><default>{}</default></profiles>
  <quotas><default/></quotas>
  <users><default>
    <password></password>
    <networks><ip>::/0</ip></networks>
    <profile>default</profile>
    <quota>default</quota>
    <grants>
      <query>GRANT CREATE TEMPORARY TABLE ON *.*</query>
      <query>GRANT READ ON FILE</query>
    </grants>
  </default></users>
</clickhouse>
"""
_MEMORY, _OWN = 1 << 30, 512 << 20
"""Bytes that a query may take, and those that the process takes besides."""
_PROFILE = {
    "max_memory_usage": _MEMORY,
    "max_threads": 1,
    "max_execution_time": 30,
    "max_query_size": 64 << 20,
    "max_result_bytes": 256 << 20,
    "result_overflow_mode": "throw",
    "log_queries": 0,
    "session_timezone": "UTC",
    "use_hive_partitioning": 0,
    "input_format_parallel_parsing": 0,
    "output_format_parallel_formatting": 0,
    "optimize_count_from_files": 0,
    "use_cache_for_count_from_files": 0,
    "storage_file_read_method": "pread",
}

_IN_ORDER = "input_format_parquet_preserve_order = 1"
_LITERALS = """
    , input_format_values_interpret_expressions = 0
    , input_format_values_deduce_templates_of_expressions = 0
"""

_CODE = re.compile(
    r"Code: \d+\. DB::\w*Exception: (?P<text>.*?)(?: \([A-Z][A-Z0-9_]+\))?"
    r"(?: \(version [\d.]+[^)]*\))?\.?\s*",
    re.S,
)
_NUMBER = re.compile(r"\(in file/uri [^)]*?/in/(\d+)\)")
_INSIDE = re.compile(
    r"Code: \d+\. DB::\w*Exception: |:? ?\(in file/uri [^)]*\)|: While executing \w+"
    r"|: \(at row \d+\)\s*$|\(version [\d.]+[^)]*\)"
)


class _Bad(Exception):
    """What ClickHouse refuses, in its words; `number` is that of the file it was reading."""

    def __init__(self, text: str, number: int | None) -> None:
        super().__init__(text)
        self.number = number


class _Messages:
    """Queries over messages."""

    def __init__(self, folder: Path, *, confined: bool) -> None:
        from chdb.session import Session

        start: Any = Session
        self._folder = folder
        self._in = folder / "in"
        self._fd = os.open(self._in, os.O_RDONLY)
        self._held = 0
        self._session = start(f"{folder}/data?config-file={folder}/server.xml")
        self._more = "" if confined else _LITERALS

    def read(self, asked: dict[str, Any], messages: list[bytes]) -> tuple[Any, list[bytes]]:
        """The rows of messages: `(number, rows)` each, as RowBinary; and the errors of bad ones."""
        found: list[bytes] = []
        todo = list(range(len(messages)))
        self._put(messages, todo)
        bad: dict[int, str] = {}
        size = _FIRST if asked["file"] else 1
        while todo:
            part, todo = todo[:size], todo[size:]
            while part:
                try:
                    found.append(self._rows(asked, part, len(messages)))
                    size *= 2 if asked["file"] else 1
                    break
                except _Bad as failed:
                    size = min(size, _LEAST)
                    number = part[0] if len(part) == 1 else failed.number
                    if number not in part:  # it was not the fault of one of them alone
                        part, todo = part[: len(part) // 2], part[len(part) // 2 :] + todo
                        continue
                    bad[number] = str(failed)
                    at = part.index(number)
                    part, todo = part[:at], part[at + 1 :] + todo
        return {"errors": bad}, found

    def _rows(self, asked: dict[str, Any], numbers: list[int], every: int) -> bytes:
        names = "*" if len(numbers) == every else "{" + ",".join(map(str, numbers)) + "}"
        if len(numbers) == 1:
            names = str(numbers[0])
        source = f"file('{self._in}/{names}', {asked['format']}, {asked['structure']})"
        file = asked["file"] or f"materialize('{numbers[0]}')"
        by, made = f"{asked['free']}_by", f"{asked['free']}_row"
        row = f"formatRow('{asked['carrier']}', {asked['columns']})"
        rows = f"(SELECT {file} AS {by}, {row} AS {made} FROM {source})"  # noqa: S608 - checked
        number = f"toUInt32(extract({by}, '[0-9]+$'))"
        query = f"SELECT {number}, groupConcat({made}) FROM {rows} GROUP BY {by}"  # noqa: S608
        files = "".join(self._setting(name, text) for name, text in asked["files"].items())
        return self._asked(query, "RowBinary", asked["settings"] + files)

    def _setting(self, name: str, text: str) -> str:
        """A setting that names a file, for its text."""
        data = text.encode()
        path = self._folder / "schemas" / f"{name}-{zlib.crc32(data)}-{len(data)}"
        path.write_bytes(data)
        return f", {name} = '{path}'"

    def write(self, asked: dict[str, Any], messages: list[bytes]) -> tuple[Any, list[bytes]]:
        """Messages of rows that are given as RowBinary, each of one message."""
        if asked["rows"]:  # each has one row, which the format writes by itself
            self._put([b"".join(messages)], [0])
            made = [self._each(asked, f"'{asked['carrier']}'", asked["format"])]
        else:
            self._put(messages, range(len(messages)))
            made = []
            for number in range(len(messages)):
                source = self._given(asked, asked["carrier"], number)
                query = f"SELECT {asked['columns']} FROM {source}"  # noqa: S608
                made.append(self._asked(query, asked["name"], asked["settings"]))
        return {}, made

    def rows(self, asked: dict[str, Any], messages: list[bytes]) -> tuple[Any, list[bytes]]:
        """The rows of a single message in their order, each as a text of RowBinary."""
        self._put(messages, [0])
        ordered = {**asked, "settings": f"{asked['settings']}, {_IN_ORDER}"}
        return {}, [self._each(ordered, asked["format"], f"'{asked['carrier']}'")]

    def _each(self, asked: dict[str, Any], read: str, written: str) -> bytes:
        source = self._given(asked, read, 0)
        query = f"SELECT formatRow({written}, {asked['columns']}) FROM {source}"  # noqa: S608
        return self._asked(query, "RowBinary", asked["settings"])

    def _given(self, asked: dict[str, Any], format_: str, number: int) -> str:
        """The rows of a file, with the values that their message is to have."""
        source = f"file('{self._in}/{number}', {format_}, {asked['structure']})"
        return f"(SELECT {asked['values']} FROM {source})" if asked["values"] else source  # noqa: S608

    def _asked(self, query: str, format_: str, settings: str) -> bytes:
        try:
            answer = self._session.query(f"{query} SETTINGS {settings}{self._more}", format_)
            return bytes(answer.bytes())
        except UnicodeDecodeError as text:  # an error that quotes bytes
            raise self._bad(text.object.decode("utf-8", "backslashreplace")) from None
        except RuntimeError as failed:
            raise self._bad(str(failed)) from None

    def _bad(self, text: str) -> _Bad:
        self._session.query("SELECT 1", "Null")  # takes what the failed query has written
        number = _NUMBER.search(text)
        whole = _CODE.fullmatch(text.strip())
        told = _INSIDE.sub("", whole["text"] if whole else text)
        told = re.sub(rf"{re.escape(str(self._folder))}[^\s'\"`,:()]*", "(the message)", told)
        return _Bad(told.strip()[:_SHOWN], int(number[1]) if number else None)

    def _put(self, messages: list[bytes], numbers: Iterable[int]) -> None:
        """A file for each; those of the request before are overwritten, which is the fastest."""
        for number in numbers:
            self._write(str(number), messages[number])
        for number in range(len(messages), self._held):
            with suppress(FileNotFoundError):  # the request before has not written them all
                os.unlink(str(number), dir_fd=self._fd)
        self._held = len(messages)

    def _write(self, name: str, data: Any) -> None:
        fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600, dir_fd=self._fd)
        try:
            written = os.write(fd, data)
            while written < len(data):
                written += os.write(fd, data[written:])
        finally:
            os.close(fd)


def _exactly(source: BinaryIO, size: int) -> bytes:
    found = source.read(size)
    if len(found) != size:
        raise EOFError
    return found


def _received(source: BinaryIO) -> bytes:
    return _exactly(source, _LENGTH.unpack(_exactly(source, _LENGTH.size))[0])


def _send(into: BinaryIO, parts: list[bytes]) -> None:
    for part in parts:
        into.write(_LENGTH.pack(len(part)))
        into.write(part)
    into.flush()


def _folder(parent: int) -> Path:
    """A folder in memory; those of parents that have exited are removed."""
    memory = Path("/dev/shm")  # noqa: S108 - mkdtemp makes the folders
    usable = memory.is_dir() and os.access(memory, os.W_OK | os.X_OK)
    above = memory if usable else Path(tempfile.gettempdir())
    for left in above.glob(f"{_PREFIX}*-*"):
        if not Path("/proc", left.name.split("-")[2]).exists():
            shutil.rmtree(left, ignore_errors=True)
    made = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{parent}-", dir=above))
    for name in ("data", "tmp", "schemas", "in"):
        (made / name).mkdir()
    (made / "server.xml").write_text(_CONFIG.format(made, _MEMORY + _OWN), "utf-8")
    settings = "".join(f"<{name}>{value}</{name}>" for name, value in _PROFILE.items())
    (made / "users.xml").write_text(_USERS.format(settings), "utf-8")
    return made


def _confine(folder: Path) -> bool:
    """Let this process have its folder, and read itself and Python; whether it could."""
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(_CREATE, None, 0, 1)
    if version < 1:
        return False
    rights = (1 << _RIGHTS.get(version, 16)) - 1
    handled = struct.pack("=QQ", rights, 3 if version >= _NETWORK_SINCE else 0)
    size = len(handled) if version >= _NETWORK_SINCE else 8
    rules = libc.syscall(_CREATE, handled, size, 0)
    if rules < 0:
        return False
    installed = {*sys.path, sys.prefix, sys.base_prefix, *sysconfig.get_paths().values()}
    readable = {*installed, *_SYSTEM}
    allowed = {path: _READS for path in readable if path and path != "/"} | {str(folder): rights}
    for path, given in allowed.items():
        with suppress(OSError):
            fd = os.open(path, os.O_PATH)
            inside = given if Path(path).is_dir() else given & ~(1 << 3)
            rule = struct.pack("=Qi", inside, fd)
            if libc.syscall(_ADD, rules, 1, rule, 0) != 0 and path == str(folder):
                return False
            os.close(fd)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    return bool(libc.syscall(_RESTRICT, rules, 0) == 0)


def _forget_environment() -> None:
    """Overwrite it as well: the kernel shows what it was at the start."""
    kept = ctypes.POINTER(ctypes.c_void_p).in_dll(ctypes.CDLL(None), "environ")
    texts = []
    for at in itertools.count():
        if kept[at] is None:
            break
        texts.append((kept[at], len(ctypes.string_at(kept[at]))))
    os.environ.clear()
    for text, length in texts:
        ctypes.memset(text, 0, length)


def main(parent: int) -> None:
    """Answer requests until there are no more."""
    ctypes.CDLL(None).prctl(_KILLED_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:
        return
    os.nice(_NICENESS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError):  # the kernel ends this process before its parent
        Path("/proc/self/oom_score_adj").write_text("1000", "ascii")
    source, into = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever ClickHouse prints is no answer
    folder = _folder(parent)
    _forget_environment()
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # of NumPy, which ClickHouse's package imports
    os.environ["TMPDIR"] = str(folder / "tmp")
    os.chdir(folder)
    try:
        messages = _Messages(folder, confined=_confine(folder))
        _send(into, [json.dumps({"ready": str(folder)}).encode()])
        while True:
            asked = json.loads(_received(source))
            given = [_received(source) for _ in range(asked["count"])]
            try:
                answer, parts = getattr(messages, asked["does"])(asked, given)
            except _Bad as failed:
                answer, parts = {"error": str(failed)}, []
            head = {**answer, "parts": len(parts)}
            _send(into, [json.dumps(head).encode("utf-8", "replace"), *parts])
    except EOFError:
        pass
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
