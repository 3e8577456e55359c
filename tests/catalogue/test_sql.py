import datetime
import subprocess
import sys
from pathlib import Path

import pytest

from equipoise.catalogue import Catalogue, build
from equipoise.errors import UsageError


@pytest.fixture
def catalogue(make, tmp_path):
    build([make.round_data("v4.1"), make.round_data("v5.0")], tmp_path / "c")
    with Catalogue.open(tmp_path / "c") as opened:
        yield opened


def test_a_query_gives_columns_and_rows(catalogue):
    columns, rows = catalogue.sql("select round, count(*) n from scores group by 1 order by 1")
    assert columns == ("round", "n")
    assert rows == (("v4.1", 1), ("v5.0", 1))


@pytest.mark.parametrize(
    "query",
    [
        "with s as (select * from systems) select count(*) from s",
        "from runs select time_to_train_min limit 1",
        "values (1), (2)",
        "explain select * from scores",
        "describe runs",
        "show tables",
        "summarize scores",
        "pivot scores on round using count(*)",
        "select 1; -- done",
    ],
)
def test_reading_statements_are_answered(catalogue, query):
    columns, rows = catalogue.sql(query)
    assert columns
    assert rows


def test_values_are_plain(catalogue):
    query = (
        "select 1.5::decimal(9,2), date '2024-11-13', 'nan'::double, [1, 2], {'a': 1}, "
        "'x'::blob, sum(1::hugeint), interval 90 seconds, uuid(), warnings from scores "
        "group by warnings"
    )
    (row,) = catalogue.sql(query).rows
    assert row[:8] == (1.5, "2024-11-13", None, [1, 2], {"a": 1}, "78", 2, 90.0)
    assert isinstance(row[8], str)
    assert row[9] == []
    (row,) = catalogue.sql("select timestamp '2024-01-02 03:04:05', time '01:02:03'").rows
    assert row == (datetime.datetime(2024, 1, 2, 3, 4, 5).isoformat(), "01:02:03")


@pytest.mark.parametrize(
    "query",
    [
        "copy scores to '{out}/x.csv'",
        "copy (select 1) to '{out}/x.parquet'",
        "export database '{out}/x'",
        "attach '{out}/x.db'",
        "install httpfs",
        "load httpfs",
        "set enable_external_access = true",
        "reset lock_configuration",
        "pragma enable_external_access",
        "create table mine as select 1",
        "create view mine as select 1",
        "insert into scores select * from scores",
        "update scores set round = 'v0'",
        "delete from scores",
        "drop table scores",
        "begin",
        "checkpoint",
        "use memory",
        "prepare p as select 1",
        "call pragma_version()",
        "vacuum",
        "select 1; select 2",
        "select 1; drop table scores",
        "",
        ";",
        "-- nothing",
    ],
)
def test_anything_but_one_select_is_refused(catalogue, tmp_path, query):
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(UsageError, match=r"refused|SQL statements|failed|Error"):
        catalogue.sql(query.format(out=tmp_path))
    assert sorted(tmp_path.rglob("*")) == before
    assert catalogue.sql("select count(*) from scores").rows == ((2,),)


@pytest.mark.parametrize(
    "query",
    [
        "select * from read_csv('{file}')",
        "select * from read_text('{file}')",
        "select * from read_blob('{file}')",
        "select * from read_json('{file}')",
        "select * from read_parquet('{file}')",
        "select * from '{file}'",
        "from sniff_csv('{file}')",
        "select * from glob('{folder}/*')",
        "select * from parquet_metadata('{file}')",
        "select * from read_csv('https://example.invalid/x.csv')",
        "select * from '{own}'",
        "select getenv('HOME')",
        "select * from query('copy scores to ''{folder}/x.csv''')",
        "select * from secret_rows",
    ],
)
def test_no_query_reaches_a_file_a_variable_or_the_net(catalogue, tmp_path, query):
    secret = tmp_path / "secret.csv"
    secret.write_text("word\nhidden\n")
    secret_rows = [1, 2]  # a variable of the calling code is out of reach too
    own = catalogue.files()["scores"]
    text = query.format(file=secret, folder=tmp_path, own=own)
    with pytest.raises(UsageError):
        catalogue.sql(text)
    assert secret_rows
    assert not (tmp_path / "x.csv").exists()


def test_errors_name_the_tables_there_are(catalogue):
    with pytest.raises(UsageError, match="tables: rounds, systems, runs, scores, rejections"):
        catalogue.sql("select * from score")
    with pytest.raises(UsageError, match="Conversion"):
        catalogue.sql("select 'x'::int")


def test_a_query_beyond_the_memory_limit_is_told(catalogue):
    with pytest.raises(UsageError, match="Memory"):
        catalogue.sql("select list(i) from range(1000000000) t(i)")
    assert catalogue.sql("select 1").rows == ((1,),)


def test_nothing_is_left_behind(catalogue):
    catalogue.sql("select * from runs r1, runs r2 order by r1.path")
    assert not Path(".tmp").exists()
    assert len(list(catalogue.path.iterdir())) == 2


def test_a_query_without_end_can_be_interrupted() -> None:
    query = "with recursive t(n) as (select 1 union all select n + 1 from t) select count(*) from t"
    code = (
        "import _thread, sys, threading; from equipoise.cli.entry import run; "
        "threading.Timer(2.0, _thread.interrupt_main).start(); "
        f"sys.exit(run(['sql', {query!r}]))"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 130, done.stderr
    assert "Traceback" not in done.stderr
