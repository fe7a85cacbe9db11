"""The version of a store's schema, and how older ones are brought up to date."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

from ._layout import StoreError

# Raise it when a table, a column or its meaning changes, and add an entry to `MIGRATIONS`.
VERSION = 1
FILE = "traceloom-store.json"
NAME = "traceloom-store"

# The functions that upgrade a store of this version to the next one. One may run again after it was interrupted.
MIGRATIONS: dict[int, Callable[[Path], None]] = {}


def write(root: Path, version: int) -> None:
    """Writes the version of a store."""
    # Several threads, and processes on several machines, may create the same store.
    part = root / f".{FILE}.{os.getpid()}.{os.urandom(4).hex()}"
    with open(part, "w") as file:
        json.dump({"format": NAME, "version": version}, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, root / FILE)


def read(root: Path) -> int:
    """The version of a store.

    Raises:
      StoreError: The folder is not a store.
    """
    try:
        facts = json.loads((root / FILE).read_text())
        if facts["format"] != NAME:
            raise StoreError(f"{root} is not a store of traceloom: {FILE} says {facts['format']!r}")
        return int(facts["version"])
    except FileNotFoundError:
        raise StoreError(f"{root} is not a store of traceloom: it has no {FILE}") from None
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise StoreError(f"{root / FILE} is damaged: {error}") from error


def check(root: Path) -> None:
    """Refuses a store that this version of traceloom does not write.

    Raises:
      StoreError: The store is older or newer.
    """
    version = read(root)
    if version > VERSION:
        raise StoreError(f"{root} has version {version} of the schema, and this traceloom knows up to {VERSION}; update it")
    if version < VERSION:
        raise StoreError(f"{root} has version {version} of the schema; run: pytraceloom store migrate {root}")


def migrate(root: Path) -> list[int]:
    """Brings a store to this version, one version after the other. Returns the versions it went through."""
    done = []
    while (version := read(root)) < VERSION:
        if version not in MIGRATIONS:
            raise StoreError(f"{root} has version {version} of the schema, from which there is no way to {VERSION}")
        MIGRATIONS[version](root)
        write(root, version + 1)
        done.append(version + 1)
    check(root)
    return done
