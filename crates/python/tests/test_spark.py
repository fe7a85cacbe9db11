"""Spark with two real executors."""

import os
import shutil
import sys
import time

import pytest

import pytraceloom

pyspark = pytest.importorskip("pyspark")
if shutil.which("java") is None:
    pytest.skip("java is missing", allow_module_level=True)

from pytraceloom.spark import query_each, register, store_add  # noqa: E402
from pytraceloom.store import Store  # noqa: E402


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    os.environ["PYSPARK_PYTHON"] = sys.executable
    folder = tmp_path_factory.mktemp("spark")
    session = (
        pyspark.sql.SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
        # The number of cores that the next line is about: without it, the session does not wait for executors.
        .config("spark.cores.max", "2")
        .config("spark.scheduler.minRegisteredResourcesRatio", "1.0")
        .config("spark.scheduler.maxRegisteredResourcesWaitingTime", "300s")
        .config("spark.local.dir", str(folder / "local"))
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.python.authenticate.socketTimeout", "120s")
        .getOrCreate()
    )
    register(session)
    yield session
    session.stop()


@pytest.fixture(scope="module")
def fleet(tmp_path_factory, app_path, jank_path):
    folder = tmp_path_factory.mktemp("fleet")
    for number in range(3):
        shutil.copy(app_path, folder / f"a{number}.trace")
        shutil.copy(jank_path, folder / f"j{number}.gz")
    (folder / "bad.trace").write_bytes(b"no trace")
    return folder


def executors(spark):
    """The number of executors. The driver is in the list too."""
    return spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1


def test_two_executors_run(spark):
    # An executor is listed some time after its cores are.
    deadline = time.monotonic() + 300
    while executors(spark) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert executors(spark) == 2


def test_raw_traces_are_a_table(spark, fleet, app, jank):
    slices = spark.read.format("traceloom").option("table", "slice").load(f"{fleet}/*")
    assert slices.count() == 3 * (len(app.tables["slice"]) + len(jank.tables["slice"]))
    sql = "SELECT name, count(*) AS n FROM slice WHERE dur > 1000000 GROUP BY name"
    expected: dict = {}
    for trace in (app, jank):
        for row in trace.query(sql):
            expected[row["name"]] = expected.get(row["name"], 0) + 3 * row["n"]
    found = slices.where("dur > 1000000").groupBy("name").count().collect()
    assert {row["name"]: row["count"] for row in found} == expected
    apps = {row["app"] for row in slices.select("app").distinct().collect()}
    assert apps == {app.app, jank.app}


def test_filters_and_columns_reach_the_source(spark, fleet):
    source = spark.read.format("traceloom").option("columns", "name,dur").option("bundle_bytes", 1)
    slices = source.load(f"{fleet}/a*")
    assert slices.columns == ["path", "app", "device", "name", "dur"]
    assert slices.rdd.getNumPartitions() == 3
    long = slices.where("dur > 100000000 AND name IS NOT NULL")
    plan = long._jdf.queryExecution().executedPlan().toString()
    assert "FilterExec" not in plan and "Filter (" not in plan, plan
    assert {row["dur"] > 100_000_000 for row in long.collect()} == {True}


def test_damaged_files_are_rows(spark, fleet):
    failures = spark.read.format("traceloom").option("table", "failures").load(f"{fleet}/*").collect()
    assert [os.path.basename(row["path"]) for row in failures] == ["bad.trace"]
    assert "bad.trace" in failures[0]["error"]


def test_a_query_on_each(spark, fleet, app, jank):
    sql = "SELECT name, max(dur) AS longest FROM slice WHERE dur > :limit GROUP BY name"
    result = query_each(spark, str(fleet), sql, {"limit": 1_000_000})
    rows = result.rows.collect()
    alone = pytraceloom.batch(f"{fleet}/*").query(sql, {"limit": 1_000_000}).rows()
    key = lambda row: (row["path"], row["name"])  # noqa: E731
    assert sorted((row.asDict() for row in rows), key=key) == sorted(alone, key=key)
    (failure,) = result.failures.collect()
    assert failure["path"].endswith("bad.trace")
    result.unpersist()
    mixed = query_each(spark, str(fleet), "SELECT 1.5 AS x", schema="x long")
    assert mixed.rows.count() == 0 and mixed.failures.count() == 7
    binary = spark.read.format("binaryFile").load(f"{fleet}/a*")
    assert query_each(spark, binary, "SELECT count(*) AS n FROM slice").rows.collect()[0]["n"] == 3851


def test_executors_fill_a_store(spark, fleet, tmp_path, app, jank):
    added = store_add(spark, tmp_path / "store", f"{fleet}/*", release="1.10", device="lab")
    assert sum(one.is_new for one in added) == 2
    assert [one.path.endswith("bad.trace") for one in added if one.error] == [True]
    assert Store(tmp_path / "store").check() == []
    spark.conf.set("spark.sql.sources.partitionColumnTypeInference.enabled", "false")
    slices = spark.read.option("basePath", f"{tmp_path}/store/slice").parquet(f"{tmp_path}/store/slice")
    assert slices.count() == len(app.tables["slice"]) + len(jank.tables["slice"])
    assert {row["release"] for row in slices.select("release").distinct().collect()} == {"1.10"}


def test_a_lost_executor_loses_nothing(spark, fleet, tmp_path):
    """The first task kills the Java process of its executor; Spark runs what was lost elsewhere."""
    mark = str(tmp_path / "killed")

    def dangerous(batches):
        for batch in batches:
            if not os.path.exists(mark):
                # The parent of this process starts those of Python, and is started by Java.
                with open(f"/proc/{os.getppid()}/stat") as stat:
                    java = int(stat.read().rpartition(")")[2].split()[1])
                with open(mark, "w") as file:
                    file.write(open(f"/proc/{java}/comm").read())
                os.kill(java, 9)
            yield batch

    files = spark.createDataFrame([(str(path),) for path in sorted(fleet.glob("a*"))], "path string")
    safe = files.repartition(3).mapInArrow(dangerous, "path string")
    content = safe.selectExpr("path", "CAST(NULL AS binary) AS content")
    rows = query_each(spark, content, "SELECT count(*) AS n FROM slice", schema="n long").rows.collect()
    with open(mark) as file:
        assert file.read() == "java\n"
    assert [row["n"] for row in rows] == [3851] * 3
