"""Makes the files of a trace visible, or removes them, so that a command that is killed is completed by the next one.

    1. The files are written into a folder of `_staging`.
    2. An entry of the journal says which files go where. From here on, the trace is added even if the command is killed.
    3. The files get their places. That of `traces` is last: a trace is in the store when `traces` has it.
    4. The entry is deleted.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from pathlib import Path
from typing import IO, Any

from ._layout import JOURNAL, STAGING, files, tables


def sync(path: Path) -> None:
    """Waits until a file or a folder is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_entry(root: Path, trace: str, entry: dict[str, Any]) -> tuple[Path, IO[str]]:
    """Writes an entry, and locks it as long as the returned file is open."""
    folder = root / JOURNAL
    folder.mkdir(exist_ok=True)
    part = folder / f".{trace}.{os.getpid()}"
    file = open(part, "w")  # noqa: SIM115: the caller closes it
    fcntl.flock(file, fcntl.LOCK_EX)
    json.dump(entry, file)
    file.flush()
    os.fsync(file.fileno())
    os.replace(part, folder / f"{trace}.json")
    sync(folder)
    return folder / f"{trace}.json", file


def publish(root: Path, trace: str, staged: Path, partition: str, names: list[str]) -> bool:
    """Gives the files of a trace their places. Returns False, and does nothing, if the store has the trace by now."""
    entry = {"op": "add", "trace": trace, "staged": staged.name, "partition": partition, "tables": names}
    (root / JOURNAL).mkdir(exist_ok=True)
    # One command at a time, so that two that add the same trace store it once.
    with open(root / JOURNAL / "lock", "w") as store:
        fcntl.flock(store, fcntl.LOCK_EX)
        if next(files(root, "traces", trace), None) is not None:
            return False
        path, lock = write_entry(root, trace, entry)
        with lock:
            complete(root, entry)
            path.unlink(missing_ok=True)
    return True


def remove(root: Path, trace: str) -> None:
    """Removes a trace."""
    entry = {"op": "remove", "trace": trace}
    path, lock = write_entry(root, trace, entry)
    with lock:
        complete(root, entry)
        path.unlink(missing_ok=True)


def complete(root: Path, entry: dict[str, Any]) -> None:
    """Does what an entry says. What was done before is not done again."""
    trace = entry["trace"]
    if entry["op"] == "remove":
        # The trace is gone when `traces` does not have it.
        for table in ["traces", *(table for table in tables(root) if table != "traces")]:
            for file in files(root, table, trace):
                file.unlink(missing_ok=True)
        return
    staged = root / STAGING / entry["staged"]
    for table in [*(name for name in entry["tables"] if name != "traces"), "traces"]:
        place = root / table / entry["partition"]
        place.mkdir(parents=True, exist_ok=True)
        if (staged / f"{table}.parquet").exists():
            os.replace(staged / f"{table}.parquet", place / f"{trace}.parquet")
            sync(place)
    shutil.rmtree(staged, ignore_errors=True)


def recover(root: Path) -> int:
    """Completes what killed commands began, and deletes what they had not finished writing. Leaves alone what running
    commands do. Returns the number of entries completed."""
    completed = 0
    for path in sorted((root / JOURNAL).glob("*.json")):
        try:
            with open(path) as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.fstat(file.fileno()).st_nlink == 0:
                    # Its command has just completed it.
                    continue
                complete(root, json.load(file))
                path.unlink(missing_ok=True)
                completed += 1
        except (BlockingIOError, FileNotFoundError):
            continue
    for staged in (root / STAGING).glob("*"):
        if is_abandoned(staged):
            shutil.rmtree(staged, ignore_errors=True)
    return completed


class Staging:
    """A folder for files that are being written. It is locked while it is used."""

    def __init__(self, root: Path, trace: str) -> None:
        self.path = root / STAGING / f"{trace}.{os.getpid()}.{os.urandom(4).hex()}"

    def __enter__(self) -> Path:
        self.path.mkdir(parents=True)
        self._lock = open(self.path / "lock", "w")  # noqa: SIM115: closed at the end of the block
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        return self.path

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        self._lock.close()


def is_abandoned(staged: Path) -> bool:
    """Whether the command that wrote here is gone."""
    try:
        with open(staged / "lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
    except FileNotFoundError:
        # It is being made, or was killed at once; then it is empty and harms nobody.
        return False
    except BlockingIOError:
        return False
