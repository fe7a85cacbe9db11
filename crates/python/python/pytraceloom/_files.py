"""Files that appear when they are complete."""

from __future__ import annotations

import os
from pathlib import Path


class NewFile:
    """A file under a temporary name in its folder, which gets its own name when the block ends without an error."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._part = target.with_name(f".{target.name}.{os.getpid()}.part")

    def __enter__(self) -> Path:
        return self._part

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            os.replace(self._part, self._target)
        else:
            self._part.unlink(missing_ok=True)
