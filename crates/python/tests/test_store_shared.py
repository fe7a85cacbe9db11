"""A store that several commands use: what one of them sees while another is in the middle of its work."""

import fcntl
import threading

import duckdb
import pyarrow.parquet as pq
import pytest

from pytraceloom.store import Store, _check, _journal, _layout, _version


@pytest.fixture
def store(tmp_path, app_path):
    store = Store.create(tmp_path / "store")
    store.add([app_path], tables=["thread"], release="1")
    return store


@pytest.mark.parametrize("has_lock", [True, False])
def test_a_folder_that_is_being_locked_is_not_deleted(store, monkeypatch, has_lock):
    """A command makes its folder and is about to lock it when another one looks for abandoned folders."""
    monkeypatch.setattr(_journal.os, "urandom", lambda count: b"\x01" * count)
    staging = _journal.Staging(store.root, "0123")
    entered = []
    command = threading.Thread(target=lambda: entered.append(staging.__enter__()))
    folder = store.root / "_staging" / f"0123.{_journal.os.getpid()}.01010101"
    folder.mkdir(parents=True)
    if has_lock:
        (folder / _journal.LOCK).touch()
    delete = _journal.shutil.rmtree

    def deleted_late(path, **options):
        command.start()
        # Time for a command that does not wait.
        command.join(0.5)
        delete(path, **options)

    monkeypatch.setattr(_journal.shutil, "rmtree", deleted_late)
    _journal.recover(store.root)
    monkeypatch.setattr(_journal.shutil, "rmtree", delete)
    command.join()
    assert [path.is_dir() for path in entered] == [True]
    assert (entered[0] / _journal.LOCK).exists()
    staging.__exit__()
    assert not any((store.root / "_staging").iterdir())


@pytest.mark.parametrize("is_killed", [True, False])
def test_a_trace_is_removed_while_the_store_is_checked(store, monkeypatch, is_killed):
    """The file of `traces` is gone when it is read, that of another table is not yet."""
    ((row,), (file,)) = list(store.traces()), list(_layout.files(store.root, "traces"))
    (thread,) = _layout.files(store.root, "thread")
    read, looked = _check.contents, []

    def removed(path):
        if path == file and not looked:
            entry = store.root / "_journal" / f"{row['id']}.json"
            entry.write_text('{"op": "remove", "trace": "%s"}' % row["id"])
            file.unlink()
            assert thread.exists()
            if not is_killed:
                # It goes on as soon as the look at the first file is over.
                looked.append(threading.Timer(0, _journal.recover, [store.root]))
                looked[0].start()
            looked.append(path)
        return read(path)

    monkeypatch.setattr(_check, "contents", removed)
    assert store.check() == []
    if not is_killed:
        looked[0].join()
    assert looked and not thread.exists() and list(store.traces()) == []


def test_a_trace_is_added_again_while_the_store_is_checked(store, app_path, monkeypatch):
    """Removed after the files were listed, and added with other tables before they are read."""
    ((row,), (file,)) = list(store.traces()), list(_layout.files(store.root, "traces"))
    read, looked = _check.contents, []

    def added_again(path):
        if path == file and not looked:
            looked.append(path)
            store.remove([row["id"]])
            assert store.add([app_path], tables=["process"], release="1")[0].is_new
        return read(path)

    monkeypatch.setattr(_check, "contents", added_again)
    assert store.check() == []
    assert looked and [name for name, _ in next(store.traces())["contents"]] == ["process", "metrics"]


def test_problems_stay_problems_at_the_second_look(store):
    (file,) = _layout.files(store.root, "thread")
    pq.write_table(pq.ParquetFile(file).read().slice(1), file)
    odd = file.with_name("[odd]*.parquet")
    odd.write_bytes(b"")
    assert {problem.file: problem.what.split()[0] for problem in store.check()} == {str(file): "has", str(odd): "belongs"}


def test_there_are_no_views_before_the_first_trace(tmp_path, store):
    """The files of a trace that is being added get their places one by one, that of `traces` last."""
    assert set(store.duckdb_views(duckdb.connect())) == {"metrics", "thread", "traces"}
    (file,) = _layout.files(store.root, "traces")
    file.rename(tmp_path / "staged.parquet")
    assert store.duckdb_views(duckdb.connect()) == []


def test_no_file_goes_while_views_are_made(store):
    """DuckDB opens files then, which another command may not remove in this moment."""
    lock = store.root / "_journal" / _journal.LOCK

    class Connection:
        def execute(self, _):
            with open(lock) as file, pytest.raises(BlockingIOError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    assert len(store.duckdb_views(Connection())) == 3
    # A copy without a lock, which nobody changes.
    lock.unlink()
    assert len(store.duckdb_views(duckdb.connect())) == 3


def test_several_threads_create_a_store(tmp_path, monkeypatch):
    """Each has written its file of the version before one of them gives it its name."""
    threads = 4
    together, replace, errors = threading.Barrier(threads), _version.os.replace, []

    def replaced(source, target):
        together.wait(60)
        replace(source, target)

    def create():
        try:
            _version.write(tmp_path, _version.VERSION)
        except OSError as error:
            errors.append(error)

    monkeypatch.setattr(_version.os, "replace", replaced)
    running = [threading.Thread(target=create) for _ in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    assert errors == []
    assert [path.name for path in tmp_path.iterdir()] == [_version.FILE]
