"""The logs of Spark and Delta are written without a process for every file."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from sluice.session import Session


def test_files_of_this_machine(engine: Session, tmp_path: Path) -> None:
    """Links, rights and renames are what they are with Hadoop's own."""
    spark: Any = engine._engine.spark()
    hadoop, conf = spark._jvm.org.apache.hadoop.fs, spark._jsc.hadoopConfiguration()
    files = hadoop.FileContext.getFileContext(conf)
    assert files.getDefaultFileSystem().getClass().getName() == "sluice.delta.LocalFiles"
    (tmp_path / "plain").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "plain")

    def path(name: str) -> Any:
        return hadoop.Path(str(tmp_path / name))

    assert files.getFileLinkStatus(path("link")).isSymlink()
    assert not files.getFileLinkStatus(path("plain")).isSymlink()
    files.setPermission(path("plain"), hadoop.permission.FsPermission("640"))
    assert stat.S_IMODE((tmp_path / "plain").stat().st_mode) == 0o640
    none = spark.sparkContext._gateway.new_array(hadoop.Options.Rename, 0)
    files.rename(path("plain"), path("other"), none)
    assert (tmp_path / "other").read_text() == "x"
