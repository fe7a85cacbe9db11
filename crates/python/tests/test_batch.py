"""One query over many traces."""

import shutil

import pytest

import pytraceloom

SQL = "SELECT count(*) AS n, max(dur) AS longest FROM slice"


@pytest.fixture
def fleet(tmp_path, app_path, jank_path):
    for release in ("1.4", "1.5"):
        for device, path in (("pixel 8", app_path), ("x=y", jank_path)):
            folder = tmp_path / release / device
            folder.mkdir(parents=True)
            shutil.copy(path, folder)
    (tmp_path / "1.5" / "pixel 8" / "bad.trace").write_bytes(b"*version\nnothing")
    return tmp_path


@pytest.mark.parametrize("workers", [1, 3])
def test_rows_have_metadata(fleet, workers):
    result = pytraceloom.batch(str(fleet / "*/*/*"), workers=workers, pattern="{release}/{device}/*").query(SQL)
    rows = result.rows()
    assert [row["release"] for row in rows] == ["1.4", "1.4", "1.5", "1.5"]
    assert [row["device"] for row in rows] == ["pixel 8", "x=y"] * 2
    assert rows[0]["n"] == 3851 and [row["app"] for row in rows] == [None, "org.loom.reader"] * 2
    (failure,) = result.failures
    assert failure.path.endswith("bad.trace") and failure.error


def test_data_frames(fleet):
    frame = pytraceloom.batch(str(fleet / "*/*/*")).query("SELECT name, dur FROM slice WHERE dur > :d", {"d": 10**6}).to_pandas()
    assert list(frame.columns) == ["path", "app", "device", "name", "dur"]
    assert frame.path.nunique() == 4
    empty = pytraceloom.batch(str(fleet / "*/*/bad*")).query(SQL)
    assert empty.to_arrow().num_rows == 0 and len(empty.failures) == 1


def test_wrong_queries_and_patterns(fleet, app_path):
    result = pytraceloom.batch([app_path]).query("SELECT none FROM slice")
    assert result.rows() == [] and "none" in result.failures[0].error
    form = pytraceloom.batch([app_path], pattern="{a}-{b}.trace").query(SQL)
    assert form.rows() == [] and "form" in form.failures[0].error
    with pytest.raises(FileNotFoundError):
        pytraceloom.batch(str(fleet / "none*"))
    with pytest.raises(ValueError):
        pytraceloom.batch([app_path], pattern="{a}/{a}")
