"""The traces of the tests: those of examples/, which are real recordings or made by the program itself."""

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
