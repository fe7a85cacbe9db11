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

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *_: object) -> None:
        if kind is None:
            os.replace(self._part, self._target)
            return
        self._part.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename == str(self._part):
            # The user knows the file under this name.
            error.filename = str(self._target)
