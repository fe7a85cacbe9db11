"""Makes the files of a trace visible, or removes them, so that a command that is killed is completed by the next one.

    1. The files are written into a folder of `_staging`.
    2. An entry of the journal says which files go where. From here on, the trace is added even if the command is killed.
    3. The files get their places. That of `traces` is last: a trace is in the store when `traces` has it.
    4. The entry is deleted.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ._layout import JOURNAL, STAGING, files, tables

# The lock file. A command locks it while it changes the store, or while it writes into a folder of `_staging`.
LOCK = "lock"


def sync(path: Path) -> None:
    """Waits until a file or a folder is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def locked(root: Path) -> Iterator[None]:
    """Keeps the journal and the places of files as they are: one command at a time changes them."""
    (root / JOURNAL).mkdir(exist_ok=True)
    with open(root / JOURNAL / LOCK, "w") as store:
        fcntl.flock(store, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def steady(root: Path) -> Iterator[None]:
    """Keeps the places of files as they are while they are read, if the store can be locked. Nothing is written."""
    with contextlib.ExitStack() as stack:
        # A copy of a store has no lock file, and a read-only file system may have none.
        with contextlib.suppress(OSError):
            store = stack.enter_context(open(root / JOURNAL / LOCK))
            fcntl.flock(store, fcntl.LOCK_SH)
        yield


def publish(root: Path, trace: str, staged: Path, partition: str, names: list[str]) -> bool:
    """Gives the files of a trace their places. Returns False, and does nothing, if the store has the trace by now."""
    with locked(root):
        # A command that was killed may have begun to add or remove the same trace.
        complete_all(root)
        if next(files(root, "traces", trace), None) is not None:
            return False
        perform(root, {"op": "add", "trace": trace, "staged": staged.name, "partition": partition, "tables": names})
    return True


def remove(root: Path, trace: str) -> None:
    """Removes a trace."""
    with locked(root):
        complete_all(root)
        perform(root, {"op": "remove", "trace": trace})


def perform(root: Path, entry: dict[str, Any]) -> None:
    """Writes a journal entry, then performs its changes. The next command does if this one is killed."""
    folder = root / JOURNAL
    part, path = folder / f".{entry['trace']}", folder / f"{entry['trace']}.json"
    with open(part, "w") as file:
        json.dump(entry, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)
    sync(folder)
    complete(root, entry)
    path.unlink()


def complete(root: Path, entry: dict[str, Any]) -> None:
    """Does what an entry says. What was done before is not done again."""
    trace = entry["trace"]
    if entry["op"] == "remove":
        # A trace is gone once `traces` does not have it.
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


def complete_all(root: Path) -> int:
    """Does what the entries say that killed commands left. Returns their number."""
    entries = sorted((root / JOURNAL).glob("*.json"))
    for path in entries:
        complete(root, json.loads(path.read_text()))
        path.unlink()
    for part in (root / JOURNAL).glob(".*"):
        # The command was killed while it wrote this entry. Nothing was done for the entry.
        part.unlink()
    return len(entries)


def recover(root: Path) -> int:
    """Completes what killed commands began, and deletes what they had not finished writing. Leaves alone what running
    commands do. Returns the number of entries completed."""
    if not any(path.name != LOCK for folder in (JOURNAL, STAGING) for path in (root / folder).glob("*")):
        return 0
    with locked(root):
        completed = complete_all(root)
        # No entry names a folder now, and no new one is written before this ends.
        for staged in (root / STAGING).glob("*"):
            delete_abandoned(staged)
    return completed


class Staging:
    """A folder for files that are being written. It is locked while it is used."""

    def __init__(self, root: Path, trace: str) -> None:
        self._folder = root / STAGING
        self._name = f"{trace}.{os.getpid()}"

    def __enter__(self) -> Path:
        while True:
            self.path = self._folder / f"{self._name}.{os.urandom(4).hex()}"
            self.path.mkdir(parents=True, exist_ok=True)
            try:
                self._lock = open(self.path / LOCK, "w")  # noqa: SIM115: closed at the end of the block
            except FileNotFoundError:
                # Another command has deleted the folder.
                continue
            fcntl.flock(self._lock, fcntl.LOCK_EX)
            if os.fstat(self._lock.fileno()).st_nlink > 0:
                return self.path
            # Another command has found the folder before it was locked, and deleted it.
            self._lock.close()

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        self._lock.close()


def delete_abandoned(staged: Path) -> None:
    """Deletes a folder of `_staging` unless the command that writes there still runs. The lock is held until the folder
    is gone: a command that has just made it waits, sees that its lock is gone too, and makes another."""
    try:
        # Creates the file if the command was killed before it created it, or while it deleted the folder.
        lock = open(staged / LOCK, "w")
    except (FileNotFoundError, PermissionError):
        # The command has just deleted the folder, or it belongs to another user.
        return
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        shutil.rmtree(staged, ignore_errors=True)
