"""Jobs in shards: order, places to run, and everything that a folder is refused for."""

from __future__ import annotations

import concurrent.futures
import json
import os
import sys

import pytest

from pymc_games import executors, jobs
from pymc_games.errors import UsageError, WorkError
from pymc_games.executors import Place, completed
from pymc_games.jobs import Job, Keeping


def square(number):
    return {"square": number * number, "third": number / 3}


def fail(number):
    raise UsageError(f"no {number}")


def end(number):
    os._exit(1)


def job(numbers=range(5), name="squares", **inputs):
    return Job(name, {"numbers": list(numbers), **inputs}, square, list(numbers))


EXPECTED = [{"square": n * n, "third": n / 3} for n in range(5)]


@pytest.mark.parametrize("place", executors.EXECUTORS)
def test_results_come_in_the_order_of_the_shards_wherever_they_run(place):
    if place == "dask":
        pytest.importorskip("distributed")
    seen = []
    result = jobs.run(Job("s", {}, json.dumps, [[n / 3] for n in range(5)]), place, progress=lambda *k: seen.append(k))
    assert [json.loads(text) for text in result] == [[n / 3] for n in range(5)]
    assert seen == [(k, 5) for k in range(6)]


def test_what_stands_behind_the_interface_is_an_executor():
    with executors._opened(Place("local"), 2) as pool:
        assert isinstance(pool, concurrent.futures.Executor)


@pytest.mark.parametrize("place", ["local", "serial"])
def test_an_error_in_a_shard_reaches_the_caller(place):
    with pytest.raises(UsageError, match="no 1"):
        list(completed(fail, [1, 1], place))


def test_a_dead_process_is_reported_with_what_was_kept(tmp_path):
    with pytest.raises(
        WorkError, match="killed, perhaps for want of memory; nothing was kept; begin again with --keep"
    ):
        jobs.run(Job("ends", {}, end, [1, 2]))
    with pytest.raises(WorkError, match=f"0 of 2 shards are kept; go on with --resume {tmp_path}"):
        jobs.run(Job("ends", {}, end, [1, 2]), "local", Keeping(tmp_path))


@pytest.mark.parametrize(
    ("executor", "scheduler", "message"),
    [
        ("cluster", None, "there is no executor 'cluster'"),
        ("local", "tcp://x:1", "only --executor dask has a scheduler"),
    ],
)
def test_places_that_do_not_exist(executor, scheduler, message):
    with pytest.raises(UsageError, match=message):
        Place(executor, scheduler)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense://x", "127.0.0.1"])
def test_a_scheduler_that_is_not_there(address, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(executors, "_PATIENCE", 1)
    with pytest.raises(UsageError, match="no Dask scheduler answers there"):
        list(completed(square, [1, 2], Place("dask", address)))


def test_without_dask_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"install pymc-games\[dask\]"):
        list(completed(square, [1, 2], "dask"))


def test_work_goes_on_where_it_stopped(tmp_path):
    def stop(done, total):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        jobs.run(job(), "serial", Keeping(tmp_path), stop)
    assert len(list(tmp_path.glob("shard-*.json"))) == 2
    seen = []
    result = jobs.run(job(), "serial", Keeping(tmp_path, resume=True), lambda done, total: seen.append(done))
    assert result == EXPECTED == jobs.run(job(), "serial")
    assert seen == [2, 3, 4, 5]
    assert jobs.run(job(), "serial", Keeping(tmp_path, resume=True)) == EXPECTED


def test_resume_begins_in_a_folder_that_is_missing(tmp_path):
    assert jobs.run(job(), "serial", Keeping(tmp_path / "new" / "one", resume=True)) == EXPECTED


def test_a_folder_with_work_is_refused_without_resume(tmp_path):
    jobs.run(job(), "serial", Keeping(tmp_path))
    with pytest.raises(UsageError, match=f"{tmp_path} holds work already; go on with --resume {tmp_path}"):
        jobs.run(job(), "serial", Keeping(tmp_path))


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (job(range(6)), r"is another job's: shards is 6 and was 5"),
        (job(range(1, 6)), r"has other inputs: numbers is \[1, 2, 3, 4, 5\] and was \[0, 1, 2, 3, 4\]"),
        (job(more=1), "has other inputs: more is 1 and was null"),
        (job(name="cubes"), "is another job's: job is cubes and was squares"),
    ],
)
def test_changed_inputs_are_refused_by_name(other, message, tmp_path):
    jobs.run(job(), "serial", Keeping(tmp_path))
    with pytest.raises(UsageError, match=message):
        jobs.run(other, "serial", Keeping(tmp_path, resume=True))


@pytest.mark.parametrize("changed", ["pymc-games", "numba", "python"])
def test_changed_code_is_refused_by_name(changed, tmp_path, monkeypatch):
    jobs.run(job(), "serial", Keeping(tmp_path))
    now = {**jobs.versions(), changed: "0.0.1"}
    monkeypatch.setattr(jobs, "versions", lambda: now)
    with pytest.raises(UsageError, match=f"has other code: {changed} is 0.0.1 and was "):
        jobs.run(job(), "serial", Keeping(tmp_path, resume=True))


def test_every_source_that_results_depend_on_is_in_the_digest(tmp_path, monkeypatch):
    package = tmp_path / "pymc_games"
    for name in ("jobs.py", "cli/pig.py", "games/pig/values.py"):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text("1")
    monkeypatch.setattr(jobs, "__file__", str(package / "jobs.py"))
    digest = jobs.versions.__wrapped__
    before = digest()
    (package / "cli/pig.py").write_text("2")
    assert digest() == before
    (package / "games/pig/values.py").write_text("2")
    assert digest() != before


def test_workers_with_other_code_are_refused(monkeypatch):
    work = jobs._Work(square, {**jobs.versions(), "numba": "0.0.1"})
    with pytest.raises(UsageError, match=r"a worker on .* runs something else: numba is .* and was 0\.0\.1"):
        work((0, 1))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text[:20],
        lambda text: "",
        lambda text: "[]",
        lambda text: text.replace('\\"square\\": 4', '\\"square\\": 5'),
        lambda text: text.replace('"sha256": "', '"sha256": "0'),
        lambda text: "[" * 100_000,
    ],
)
def test_a_damaged_shard_is_refused(spoil, tmp_path):
    jobs.run(job(), "serial", Keeping(tmp_path))
    path = tmp_path / "shard-00002.json"
    spoilt = spoil(path.read_text())
    assert spoilt != path.read_text()
    path.write_text(spoilt)
    with pytest.raises(UsageError, match=f"{path} is damaged or of another job; delete it"):
        jobs.run(job(), "serial", Keeping(tmp_path, resume=True))
    path.unlink()
    assert jobs.run(job(), "serial", Keeping(tmp_path, resume=True)) == EXPECTED


def test_a_shard_under_the_name_of_another_is_refused(tmp_path):
    jobs.run(job(), "serial", Keeping(tmp_path))
    (tmp_path / "shard-00002.json").write_bytes((tmp_path / "shard-00001.json").read_bytes())
    with pytest.raises(UsageError, match=r"shard-00002\.json is damaged or of another job"):
        jobs.run(job(), "serial", Keeping(tmp_path, resume=True))


def test_a_shard_of_a_job_with_other_inputs_is_refused(tmp_path):
    jobs.run(job(), "serial", Keeping(tmp_path / "one"))
    jobs.run(job(more=1), "serial", Keeping(tmp_path / "other"))
    (tmp_path / "one" / "shard-00002.json").write_bytes((tmp_path / "other" / "shard-00002.json").read_bytes())
    with pytest.raises(UsageError, match=r"shard-00002\.json is damaged or of another job"):
        jobs.run(job(), "serial", Keeping(tmp_path / "one", resume=True))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"job": 1, "inputs": 2, "versions": 3}'])
def test_a_damaged_job_is_refused(text, tmp_path):
    jobs.run(job(), "serial", Keeping(tmp_path))
    (tmp_path / "job.json").write_text(text)
    with pytest.raises(UsageError, match=r"job\.json is damaged"):
        jobs.run(job(), "serial", Keeping(tmp_path, resume=True))


def test_shards_without_their_job_are_refused(tmp_path):
    (tmp_path / "shard-00000.json").write_text("{}")
    with pytest.raises(UsageError, match="shards without the job"):
        jobs.run(job(), "serial", Keeping(tmp_path, resume=True))


def test_two_at_a_time_in_one_folder_are_refused(tmp_path):
    def second(done, total):
        with pytest.raises(UsageError, match="another process works in the folder"):
            jobs.run(job(), "serial", Keeping(tmp_path, resume=True))

    jobs.run(job(), "serial", Keeping(tmp_path), second)


def test_a_folder_that_cannot_be_one(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot create the folder"):
        jobs.run(job(), "serial", Keeping(tmp_path / "file"))


def test_what_a_killed_process_left_half_written_is_cleared_away(tmp_path):
    jobs.run(job(), "serial", Keeping(tmp_path))
    (tmp_path / ".shard-00001.json.x.part").write_text("{")
    jobs.run(job(), "serial", Keeping(tmp_path, resume=True))
    assert not list(tmp_path.glob(".*"))
