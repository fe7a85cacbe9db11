"""The command ``pytraceloom``, also ``python -m pytraceloom``."""

from __future__ import annotations

import argparse
import sys

from . import __version__


def parser() -> argparse.ArgumentParser:
    """The command line."""
    main = argparse.ArgumentParser(prog="pytraceloom", description="A store of many traces, as Parquet files.")
    main.add_argument("--version", action="version", version=f"pytraceloom {__version__}")
    store = main.add_subparsers(dest="group", required=True).add_parser("store", help="add, check and remove traces")
    commands = store.add_subparsers(dest="command", required=True)

    add = commands.add_parser("add", help="add traces; traces that the store has already are left alone")
    add.add_argument("dir", metavar="DIR", help="the store, which is created if the folder is empty or missing")
    add.add_argument("traces", metavar="TRACE", nargs="+")
    add.add_argument("--release", help="the release that was recorded")
    add.add_argument("--device", help="the device [default: the one that the trace names]")
    add.add_argument("--date", metavar="YYYY-MM-DD", help="the day [default: that of the recording, or of the file]")
    only = "store only this table, besides traces and metrics; repeatable"
    add.add_argument("--table", action="append", metavar="NAME", help=only)
    workers = "traces that are read at the same time [default: one per core]"
    add.add_argument("--workers", type=int, metavar="N", help=workers)
    add.add_argument("--strict", action="store_true", help="exit with 1 if any file cannot be read")

    check = commands.add_parser("check", help="read every file, and complete what killed commands began")
    check.add_argument("dir", metavar="DIR")
    remove = commands.add_parser("rm", help="remove traces")
    remove.add_argument("dir", metavar="DIR")
    remove.add_argument("ids", metavar="ID", nargs="+", help="the id of a trace, or its first letters")
    listed = commands.add_parser("ls", help="list the traces")
    listed.add_argument("dir", metavar="DIR")
    migrate = commands.add_parser("migrate", help="bring a store of an older version to this one")
    migrate.add_argument("dir", metavar="DIR")
    return main


def visible(text: object) -> str:
    """A text on one line, with escapes for characters that a terminal executes or that change the direction of text."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(text))


def complain(error: object) -> None:
    """Prints an error."""
    print("pytraceloom:", "\n".join(map(visible, str(error).splitlines())), file=sys.stderr)


def main(arguments: list[str] | None = None) -> int:
    """Runs a command. Returns 1 if a check failed, 2 after an error."""
    args = parser().parse_args(arguments)
    try:
        return run(args)
    except ImportError as error:
        complain(f"{error}; pip install pytraceloom[store]")
    except (ValueError, OSError) as error:
        complain(error)
    return 2


def run(args: argparse.Namespace) -> int:
    """Runs a command."""
    from .store import Store

    if args.command == "add":
        return add(Store.create(args.dir), args)
    if args.command == "migrate":
        versions = Store.migrate(args.dir)
        print(f"{args.dir}: {'now version ' + str(versions[-1]) if versions else 'already of this version'}")
        return 0
    store = Store(args.dir)
    if args.command == "check":
        problems = store.check()
        for problem in problems:
            print(visible(problem))
        print(f"{sum(1 for _ in store.traces()) if not problems else 'some'} traces, {len(problems)} problems")
        return 1 if problems else 0
    if args.command == "rm":
        for trace in store.remove(args.ids):
            print(f"removed {trace}")
        return 0
    for row in store.traces():
        facts = (row[name] or "-" for name in ("release", "device", "date", "app", "path"))
        print(row["id"][:12], *map(visible, facts))
    return 0


def add(store: object, args: argparse.Namespace) -> int:
    """Adds traces, and tells what became of each that was not simply added."""
    added = store.add(  # type: ignore[attr-defined]
        args.traces,
        release=args.release,
        device=args.device,
        date=args.date,
        tables=args.table,
        workers=args.workers,
    )
    failed = [one for one in added if one.error]
    for one in failed:
        complain(one.error)
    new = sum(one.is_new for one in added)
    print(f"{new} added, {len(added) - new - len(failed)} already there, {len(failed)} failed")
    if failed and len(failed) == len(added):
        return 2
    return 1 if failed and args.strict else 0


if __name__ == "__main__":
    sys.exit(main())
