"""Which runs fail, by which rule, and what a run says besides."""

import pytest

from equipoise.sources import records
from equipoise.sources.logs import read_log
from equipoise.sources.runs import make_run
from equipoise.sources.verdict import FAILURES, REMEDIES, Place

START = 1_700_000_000_000


def place(round_name="v4.0", benchmark="resnet", folder=None):
    return Place(
        round=round_name,
        submitter="A",
        system_id="s",
        benchmark=benchmark,
        benchmark_folder=folder or benchmark,
        path=f"A/results/s/{benchmark}/result_0.txt",
    )


def run_of(data, where=None, **options):
    return make_run(read_log([data]), where or place(), **options)


def test_a_run_that_counts(mllog):
    run, verdict = run_of(mllog(seconds=90.5, batch=512, epoch=2, seed=7))
    assert verdict.failure is None
    assert (run.success, run.failure) == (True, None)
    assert run.time_to_train_min == pytest.approx(90.5 / 60, rel=1e-15)
    assert (run.seed, run.global_batch_size, run.eval_accuracy) == ("7", 512, 0.76)
    assert run.progress_to_converge == 2
    assert run.samples_to_converge == 2 * 1281167
    assert run.throughput_source == "computed"
    assert run.throughput_samples_per_s == pytest.approx(2 * 1281167 / 90.5)


@pytest.mark.parametrize(
    ("changes", "code", "record"),
    [
        ({"status": None}, "no-run-stop", "run_start"),
        ({"status": "aborted"}, "not-successful", "run_stop"),
        ({"accuracy": 0.7589}, "quality-not-reached", "eval_accuracy"),
        ({"accuracy": None}, "quality-not-logged", "run_stop"),
        ({"seconds": 0}, "stop-before-start", "run_stop"),
        ({"seconds": -5}, "stop-before-start", "run_stop"),
    ],
)
@pytest.mark.parametrize("window", [200, 4096])
def test_failures_name_the_line_of_their_record(mllog, monkeypatch, changes, code, record, window):
    monkeypatch.setattr(records, "WINDOW_BYTES", window)
    data = b"noise\n\nmore\n" + mllog(**changes)
    run, verdict = run_of(data)
    assert (run.success, run.failure) == (False, code)
    assert verdict.reason.startswith(FAILURES[code])
    assert f'"key": "{record}"'.encode() in data.split(b"\n")[verdict.line - 1]


def test_every_failure_has_a_remedy():
    assert REMEDIES.keys() == FAILURES.keys()


def test_no_records_and_no_start(mllog, make_record):
    run, verdict = run_of(b"hello\n")
    assert (run.failure, verdict.line) == ("no-records", None)
    stop = make_record("run_stop", START, None, status="success").encode()
    run, verdict = run_of(b"\n" + stop)
    assert (run.failure, verdict.line) == ("no-run-start", 2)


def test_the_second_stop_is_named_with_its_line(mllog, make_record):
    data = mllog() + b"\n" + make_record("run_stop", START, None, status="aborted").encode()
    (text,) = (t for t in run_of(data)[0].warnings if "run_stop" in t)
    second = len(data.split(b"\n"))
    assert text.endswith(f"result_0.txt:{second}: 2 run_stop records; the first is used")


def test_an_earlier_evaluation_that_passes_is_enough(mllog, make_record):
    earlier = make_record("eval_accuracy", START + 5, 0.7595, epoch_num=1)
    run, _ = run_of(mllog(accuracy=0.75, after_start=(earlier,)))
    assert run.success


def test_open_division_has_its_own_bound(mllog):
    data = mllog(accuracy=0.3).replace(b'"closed"', b'"open"')
    assert run_of(data)[0].success
    undecided = mllog(accuracy=0.3).replace(b"submission_division", b"submission_xxxxxxxx")
    assert run_of(undecided, division="open")[0].success
    assert run_of(undecided, division="closed")[0].failure == "quality-not-reached"
    assert run_of(undecided)[0].failure == "quality-not-reached"
    assert run_of(undecided, division="unverified")[0].success


def test_where_no_ruleset_knows_the_benchmark_the_status_decides(mllog):
    for where in (place("v9.9"), place("v4.1", "new_task")):
        run, _ = run_of(mllog(accuracy=0.1), where)
        assert run.success
        assert run.samples_to_converge is None


def test_a_benchmark_that_left_the_suite_keeps_its_last_rules(mllog):
    for round_name in ("v4.0", "v4.1"):
        run, _ = run_of(mllog(accuracy=0.1), place(round_name))
        assert run.failure == "quality-not-reached"


def test_long_initialisation(mllog, make_record):
    early = make_record("init_start", START - 31 * 60_000)
    run, verdict = run_of(mllog(extra=(early,)))
    assert run.failure == "initialisation-too-long"
    assert b"init_stop" in mllog(extra=(early,)).split(b"\n")[verdict.line - 1]
    second_attempt = b"\n".join([early.encode(), b"", mllog()])
    first_attempt = make_record("run_start", START - 30 * 60_000).encode()
    both = b"\n".join([early.encode(), first_attempt, mllog()])
    assert run_of(second_attempt)[0].failure == "initialisation-too-long"
    assert run_of(both)[0].success


def test_a_damaged_record_fails_the_run_only_if_the_ruleset_demands_it(mllog, make_record):
    whole = make_record("opt_adamw_weight_decay", START - 5, 0.01)
    damaged = whole.replace('"value"', '"vXXX')
    fid = make_record("eval_accuracy", START + 5, 80, metric="FID", samples_count=512)
    clip = make_record("eval_accuracy", START + 6, 0.16, metric="CLIP", samples_count=512)
    where = place("v4.1", "stable_diffusion")
    options = {"accuracy": None, "after_start": (fid, clip)}
    run, verdict = run_of(mllog(extra=(damaged,), **options), where)
    assert run.failure == "required-record-damaged"
    assert "opt_adamw_weight_decay" in verdict.reason
    assert b"vXXX" in mllog(extra=(damaged,), **options).split(b"\n")[verdict.line - 1]
    assert run_of(mllog(extra=(damaged, whole), **options), where)[0].success
    other = make_record("note", START - 5, "x").replace('"value"', '"vXXX')
    assert run_of(mllog(extra=(other,), **options), where)[0].success


def test_metrics_of_one_step_belong_together(mllog, make_record):
    def logged(fid, clip, step):
        return (
            make_record("eval_accuracy", START + step, fid, metric="FID", samples_count=step),
            make_record("eval_accuracy", START + step, clip, metric="CLIP", samples_count=step),
        )

    where = place("v4.1", "stable_diffusion")
    split = mllog(accuracy=None, after_start=(*logged(80, 0.1, 512), *logged(99, 0.2, 1024)))
    assert run_of(split, where)[0].failure == "quality-not-reached"
    both = mllog(
        accuracy=None,
        after_start=(*logged(95, 0.2, 512), *logged(89, 0.2, 1024), *logged(80, 0.2, 1536)),
    )
    run, _ = run_of(both, where)
    assert run.success
    assert run.progress_to_converge == run.samples_to_converge == 1024


def test_a_metric_with_two_parts(mllog):
    where = place("v3.0", "maskrcnn")
    assert run_of(mllog(accuracy={"BBOX": 0.38, "SEGM": 0.34}), where)[0].success
    assert run_of(mllog(accuracy={"BBOX": 0.38, "SEGM": 0.33}), where)[0].failure
    assert run_of(mllog(accuracy={"BBOX": 0.38}), where)[0].failure


def test_logged_throughput_is_cross_checked(mllog, make_record):
    def with_rate(value):
        rates = tuple(
            make_record("tracked_stats", START + i, {"throughput": value}) for i in range(3)
        )
        return run_of(mllog(seconds=1281.167, epoch=2, after_start=rates))[0]

    believed = with_rate(2100.0)
    assert (believed.throughput_samples_per_s, believed.throughput_source) == (2100.0, "logged")
    assert believed.warnings == ()
    doubted = with_rate(270.0)
    assert doubted.throughput_samples_per_s == pytest.approx(2000.0)
    assert (doubted.throughput_logged, doubted.throughput_source) == (270.0, "computed")
    assert "logged throughput 270/s disagrees with 2000 samples/s" in doubted.warnings[0]


def test_progress_counted_in_epochs_where_samples_are_the_unit(mllog, make_record):
    rate = make_record("tracked_stats", START + 1, {"throughput": 300.0})
    data = mllog(seconds=1200.0, accuracy=0.91, epoch=2000, after_start=(rate,))
    run, _ = run_of(data, place("v3.1", "unet3d"))
    assert (run.progress_to_converge, run.samples_to_converge) == (2000, 2000 * 168)
    assert (run.throughput_samples_per_s, run.throughput_source) == (300.0, "logged")


def test_step_time_gives_a_throughput(mllog, make_record):
    step = make_record("tracked_stats", START + 1, {"train_step_time": 0.128})
    run, _ = run_of(mllog(seconds=1281.167, epoch=2, batch=256, after_start=(step,)))
    assert run.throughput_samples_per_s == pytest.approx(2000.0)
    assert run.throughput_source == "logged"


def test_failed_runs_have_no_samples_to_converge(mllog):
    run, _ = run_of(mllog(status="aborted", epoch=7))
    assert (run.progress_to_converge, run.samples_to_converge) == (7, None)


def test_keys_of_the_newest_format(mllog, make_record):
    extra = (
        make_record("lowest_numerical_precision_in_linear", START, "fp8"),
        make_record("tensor_parallelism", START, "4"),
        make_record("pipeline_parallelism", START, 2),
        make_record("context_parallelism", START, 1.0),
        make_record("expert_parallelism", START, -1),
        make_record("micro_batch_size", START, "many"),
        make_record("config_filename", START, "config.sh"),
        make_record("gradient_accumulation_steps", START, 3),
    )
    run, _ = run_of(mllog(extra=extra), place("v6.0", "gpt_oss_20b"))
    assert (run.precision, run.tensor_parallelism, run.pipeline_parallelism) == ("fp8", 4, 2)
    assert (run.context_parallelism, run.expert_parallelism, run.micro_batch_size) == (
        1,
        None,
        None,
    )
    assert (run.config_filename, run.gradient_accumulation_steps) == ("config.sh", 3)


MINIGO = (
    ':::MLL 1000000000.0 run_start: {"value": null, "metadata": {}}\n'
    ':::MLL 1000000900.0 eval_result: {"value": null, "metadata": {"timestamp": 600.0}}\n'
)


def test_the_first_minigo_logs_its_time_apart():
    stop = ':::MLL 1000000960.0 run_stop: {"value": null, "metadata": {"status": "success"}}\n'
    for text in (MINIGO, MINIGO + stop):
        run, _ = run_of(text.encode(), place("v0.6", "minigo"))
        assert (run.success, run.time_to_train_min) == (True, 10.0)
        assert "logged apart by eval_result" in run.warnings[0]
    aborted = stop.replace("success", "aborted")
    assert run_of((MINIGO + aborted).encode(), place("v0.6", "minigo"))[0].failure
    later, _ = run_of((MINIGO + stop).encode(), place("v0.7", "minigo"), division="open")
    assert later.time_to_train_min == pytest.approx(16.0)


def test_the_first_round_may_log_only_a_target():
    lines = [
        ":::MLPv0.5.0 resnet 1541670088.9 (t.py:10) run_start",
        ":::MLPv0.5.0 resnet 1541670089.9 (t.py:10) eval_target: 0.749",
        ':::MLPv0.5.0 resnet 1541670098.9 (t.py:1) eval_accuracy: {"epoch": 6, "value": QUALITY}',
        ":::MLPv0.5.0 resnet 1541670148.9 (t.py:10) run_stop",
    ]
    text = "\n".join(lines)
    where = place("v0.5")
    assert run_of(text.replace("QUALITY", "0.75").encode(), where)[0].success
    assert run_of(text.replace("QUALITY", "0.74").encode(), where)[0].failure == "not-successful"
    said_no = text.replace("QUALITY", "0.75") + ': {"success": false}'
    assert run_of(said_no.encode(), where)[0].failure == "not-successful"
