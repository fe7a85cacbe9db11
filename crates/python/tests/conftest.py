"""The traces of the tests: those of examples/, which are real recordings or made by the program itself."""

import random
from pathlib import Path

import pytest

import pytraceloom

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture(scope="session")
def app_path() -> Path:
    return EXAMPLES / "app.trace"


@pytest.fixture(scope="session")
def jank_path() -> Path:
    return EXAMPLES / "jank.ftrace.gz"


@pytest.fixture(scope="session")
def linux_path() -> Path:
    return EXAMPLES / "linux.ftrace"


@pytest.fixture(scope="session")
def app(app_path: Path) -> pytraceloom.Trace:
    return pytraceloom.open(app_path)


@pytest.fixture(scope="session")
def jank(jank_path: Path) -> pytraceloom.Trace:
    return pytraceloom.open(jank_path)


@pytest.fixture(scope="session")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Slices of several chunks, with many names and threads, without nesting."""
    rng = random.Random(7)
    lines, at = [], 1_000_000
    for _ in range(140_000):
        at += rng.randrange(1, 900)
        thread = rng.randrange(8)
        before = f"t{thread}-{thread + 10} [000] .... "
        lines.append(f"{before}{at / 1e6:.6f}: tracing_mark_write: B|7|work {rng.randrange(400)}")
        at += rng.randrange(1, 900)
        lines.append(f"{before}{at / 1e6:.6f}: tracing_mark_write: E|7")
    path = tmp_path_factory.mktemp("many") / "many.ftrace"
    path.write_text("\n".join(lines) + "\n")
    return path
