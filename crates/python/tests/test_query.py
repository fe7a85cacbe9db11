"""Queries: parameters, errors, limits, Ctrl-C, threads."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy
import pytest

import pytraceloom

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


def test_parameters(app):
    rows = app.query("SELECT :a AS a, @b AS b, $c AS c, :d AS d", {"a": 2**62, "b": "ü'", "c": None, "d": 0.5}).rows()
    assert rows == [{"a": 2**62, "b": "ü'", "c": None, "d": 0.5}]
    with pytest.raises(pytraceloom.QueryError, match=":limit"):
        app.query("SELECT :limit")
    with pytest.raises(pytraceloom.QueryError, match="other"):
        app.query("SELECT 1", {"other": 1})
    rows = app.query("SELECT :a AS a, :b AS b, :c AS c", {"a": numpy.int64(7), "b": numpy.float32(0.5), "c": True}).rows()
    assert rows == [{"a": 7, "b": 0.5, "c": 1}]
    with pytest.raises(TypeError, match="parameter a is a list"):
        app.query("SELECT :a", {"a": [1]})
    with pytest.raises(OverflowError, match="parameter a"):
        app.query("SELECT :a", {"a": 2**63})


def test_errors_have_a_place(app):
    with pytest.raises(pytraceloom.QueryError) as raised:
        app.query("SELECT 1;\nSELECT no_column FROM slice", name="q.sql")
    assert (raised.value.line, raised.value.column) == (2, 8)
    assert "q.sql" in str(raised.value)


def test_errors_have_their_public_names(app, tmp_path):
    """Messages name what a script can catch, and errors pass from one process to another."""
    for kind, fail in (
        (pytraceloom.QueryError, lambda: app.query("SELECT no_column FROM slice")),
        (pytraceloom.TraceError, lambda: pytraceloom.open(b"nothing")),
    ):
        with pytest.raises(kind) as raised:
            fail()
        assert f"{kind.__module__}.{kind.__qualname__}" in (f"pytraceloom.{name}" for name in pytraceloom.__all__)
        copy = pickle.loads(pickle.dumps(raised.value))
        assert type(copy) is kind and vars(copy) == vars(raised.value) and str(copy) == str(raised.value)


def test_scripts_and_modules(app):
    app.query("CREATE PERFETTO TABLE mine AS SELECT name FROM slice LIMIT 3")
    assert len(app.query("SELECT * FROM mine")) == 3
    app.query("DROP TABLE mine")
    app.add_module("team.five", "CREATE PERFETTO FUNCTION five() RETURNS LONG AS SELECT 5")
    assert app.query("INCLUDE PERFETTO MODULE team.five; SELECT five() AS n").rows() == [{"n": 5}]


def test_timeout_and_memory(app_path):
    with pytraceloom.open(app_path, timeout=0.2) as trace:
        with pytest.raises(pytraceloom.QueryError):
            trace.query(ENDLESS)
        assert trace.query("SELECT 1 AS n").rows() == [{"n": 1}]


def test_other_threads_run_during_a_query(app_path):
    """The query ends only after another thread has run several times, however long that takes."""

    class Ended(Exception):
        pass

    def end(*_):
        raise Ended

    main = threading.main_thread().ident

    def run():
        turns = 0
        while turns < 3:
            time.sleep(0.01)
            turns += sys._current_frames()[main].f_code is pytraceloom.Trace.query.__code__
        signal.pthread_kill(main, signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, end)
    try:
        with pytraceloom.open(app_path) as trace, pytest.raises(Ended):
            thread = threading.Thread(target=run, daemon=True)
            thread.start()
            trace.query(ENDLESS)
        thread.join()
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_query_of_another_thread_has_a_timeout(app_path):
    errors = []

    def ask():
        try:
            trace.query(ENDLESS)
        except pytraceloom.QueryError as error:
            errors.append(error)

    with pytraceloom.open(app_path, timeout=0.2) as trace:
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
    assert len(errors) == 1 and "stopped after" in str(errors[0])


def test_ctrl_c_stops_a_query(app_path):
    """A thread presses Ctrl-C when the program is inside the query."""
    program = f"""
import os, signal, sys, threading, pytraceloom
trace = pytraceloom.open({str(app_path)!r})
main = threading.main_thread().ident

def press():
    while sys._current_frames()[main].f_code is not pytraceloom.Trace.query.__code__:
        pass
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=press).start()
try:
    trace.query({ENDLESS!r})
except KeyboardInterrupt:
    print("stopped", trace.query("SELECT 7 AS n").rows()[0]["n"])
"""
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, timeout=60)
    assert done.stdout == "stopped 7\n"


def test_ctrl_c_stops_reading(tmp_path):
    """The file is a pipe into which nobody writes, so reading it does not end by itself."""
    program = f"""
import os, signal, sys, threading, pytraceloom
os.mkfifo({str(tmp_path / "pipe")!r})
main = threading.main_thread().ident

def press():
    while sys._current_frames()[main].f_code is not pytraceloom.open.__code__:
        pass
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=press).start()
try:
    pytraceloom.open({str(tmp_path / "pipe")!r})
except KeyboardInterrupt:
    print("stopped")
"""
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, timeout=60)
    assert done.stdout == "stopped\n"


def test_other_threads_run_while_a_file_is_read(tmp_path, app_path):
    """The file is a pipe that another thread of this program fills."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(app_path.read_bytes()))
    writer.start()
    assert len(pytraceloom.open(pipe).tables["slice"]) == 3851
    writer.join()
