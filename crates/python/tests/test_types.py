"""The types of the package, as mypy sees them."""

import subprocess
import sys

# What scripts do, with the types that they expect.
SCRIPT = """
from pathlib import Path
from typing import assert_type

import pytraceloom
from pytraceloom.perfetto import BatchTraceProcessor, TraceProcessor
from pytraceloom.store import Added, Store

with pytraceloom.open([Path("a"), b"bytes"], timeout=1.5) as trace:
    assert_type(trace.duration, int)
    assert_type(trace.app, str | None)
    table = trace.query("SELECT :limit", {"limit": 5})
    assert_type(table, pytraceloom.Table)
    assert_type(trace.tables["slice"].shape, tuple[int, int])
    for row in table:
        print(row["name"])
    assert_type(trace.profile(by="thread", threads=["main", 7]).rows, pytraceloom.Table)
    assert_type(trace.frames().apps, pytraceloom.Table)
    assert_type(trace.export("a.sqlite"), list[tuple[str, int]])
    assert_type(trace.diff(trace), pytraceloom.Diff)

for answer in pytraceloom.batch("*.trace", workers=2).query("SELECT 1"):
    assert_type(answer.rows, pytraceloom.Table)

assert_type(Store.create("fleet").add(["a"], release="1"), list[Added])

with TraceProcessor(trace="a") as tp:
    result = tp.query("SELECT 1 AS one")
    assert_type(result.column_names, list[str])
    print([found.one for found in result])
with BatchTraceProcessor(["a"]) as btp:
    frame = btp.query_and_flatten("SELECT 1")

try:
    trace.query("SELECT")
except pytraceloom.QueryError as error:
    assert_type(error.line, int | None)
except pytraceloom.TraceError as failure:
    assert_type(failure.place, str | None)
"""


def run(folder, *arguments):
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout


def test_scripts_are_checked(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    run(tmp_path, "mypy", "--strict", "--ignore-missing-imports", "script.py")


def test_the_stub_is_what_the_engine_has(tmp_path):
    run(tmp_path, "mypy.stubtest", "pytraceloom._native")
