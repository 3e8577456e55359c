"""Predictions: unmeasured configurations and the user's own job."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from equipoise import facts
from equipoise.advise.candidates import Prediction as Predicted
from equipoise.errors import NothingFoundError, UsageError
from equipoise.report.figures.base import charts_of
from equipoise.report.footnotes import footnotes
from equipoise.workflow.answer import Answer
from equipoise.workflow.measured import Measured, OwnJob, own_job_of
from equipoise.workflow.pooled import pooled_model
from equipoise.workflow.selection import separate

if TYPE_CHECKING:
    from equipoise.advise import Candidate, Predictor
    from equipoise.catalogue import Catalogue
    from equipoise.scaling.own_job import OwnJobResult
    from equipoise.scaling.predict import PredictionResult

Z_90: Final = 1.6448536269514722
"""Standard normal quantile of 0.95: both ends of a 90 % interval."""
MOST_COUNTS: Final = 200
"""Counts of one request; more would only slow it down."""


def predict(
    catalogue: "Catalogue",
    benchmark: str | None,
    *,
    accelerator: str | Sequence[str],
    accelerators: Sequence[int] | str,
    round: str | None = None,  # noqa: A002  (the name of the option)
    submitter: str | None = None,
    measured: Measured | None = None,
    measured_on: str | None = None,
) -> Answer:
    """Return predicted times to train with 50, 80 and 90 % intervals, a basis and a reason.

    Parameters
    ----------
    benchmark : str or None
        With `measured`: the benchmark that the job is like, None to let the data say.
    accelerator
        Id, family or vendor, or several of them.
    accelerators
        Counts, or text such as `8,64,512`.
    round, submitter
        Whose software and whose tuning; the latest round and the submitters behind the
        nearest evidence without.
    measured
        The user's own job: `8=180min,16=97min`, pairs, a file, or a folder of own logs.
    measured_on
        The accelerator it was measured on: as the file says, or else the one predicted.

    Raises
    ------
    UsageError, NothingFoundError
        For a request that cannot be understood or that nothing supports.
    """
    counts = parse_counts(accelerators)
    names = separate([accelerator] if isinstance(accelerator, str) else accelerator)
    ids = list(dict.fromkeys(i for name in names for i in facts.accelerators_matching(name)))
    if measured is not None:
        return _own_answer(catalogue, benchmark, ids, counts, measured, measured_on)
    if benchmark is None:
        raise UsageError("name a benchmark, or describe your own job with --measured")
    return _published_answer(
        catalogue, benchmark, ids, counts, round_name=round, submitter=submitter
    )


def parse_counts(text: Sequence[int] | str) -> tuple[int, ...]:
    """Return counts of accelerators.

    >>> parse_counts("8, 64,512")
    (8, 64, 512)

    Raises
    ------
    UsageError
        For anything but whole numbers above zero, or too many of them.
    """
    items = text.split(",") if isinstance(text, str) else [str(n) for n in text]
    found = []
    for item in items:
        if not item.strip().isdecimal() or int(item) < 1:
            raise UsageError(f"{item.strip()!r} is no count of accelerators; write 8,64,512")
        found.append(int(item))
    if len(found) > MOST_COUNTS:
        raise UsageError(f"{len(found)} counts are too many; ask for at most {MOST_COUNTS}")
    return tuple(dict.fromkeys(found))


def predictor(catalogue: "Catalogue", benchmark: str) -> "Predictor":
    """Return what advice asks for times of unmeasured sizes; it refuses what is unsupported."""
    from equipoise.scaling.predict import predict_each

    model = pooled_model(catalogue)

    def ask(wanted: Sequence[tuple[str, int]], /) -> list[Predicted | str]:
        try:
            rows = predict_each(model, wanted, benchmark=benchmark)
        except NothingFoundError as nothing:
            return [str(nothing)] * len(wanted)
        return [_refusal(row) or _as_log_normal(row) for row in rows]

    return ask


def own_candidates(
    catalogue: "Catalogue",
    measured: Sequence[tuple[int, float]],
    *,
    accelerator_id: str,
    like: str | None,
    doubts: list[str] | None = None,
) -> "tuple[list[Candidate], Predictor]":
    """Return the user's measurements as candidates and a predictor of the same job.

    What is odd about the measurements is added to `doubts` when the predictor is asked.

    Other accelerators than the measured one are predicted as `predict` does, by what the
    two do on the benchmark that the job is like, or on all of them.
    """
    from equipoise.advise import Candidate
    from equipoise.scaling.own_job import own_job

    candidates = [
        Candidate(
            accelerator_id=accelerator_id,
            accelerators=accelerators,
            time_median_min=minutes,
            time_log_sigma=OWN_LOG_SPREAD,
            basis="own",
            verified=False,
            reason="your own measurement, not verified by MLCommons Association",
        )
        for accelerators, minutes in measured
    ]

    def ask(wanted: Sequence[tuple[str, int]], /) -> list[Predicted | str]:
        if not wanted:
            return []
        result = own_job(
            pooled_model(catalogue),
            measured=measured,
            accelerator_id=accelerator_id,
            accelerators=sorted({n for _, n in wanted}),
            like=like,
            on=list(dict.fromkeys(name for name, _ in wanted)),
        )
        if doubts is not None:
            doubts.extend(text for text in result.doubts if text not in doubts)
        found = {(row.accelerator_id, row.accelerators): row for row in result.predictions}
        rows = [found[target] for target in wanted]
        return [_refusal(row) or _as_log_normal(row) for row in rows]

    return candidates, ask


OWN_LOG_SPREAD: Final = 0.05
"""Run-to-run spread assumed for one own measurement; most benchmarks lie between 2 and 8 %."""


def _refusal(row: Any) -> str | None:
    """Return why advice does not build on a prediction, None if it does."""
    from equipoise.scaling.predict_basis import FAR

    if row.far:
        return f"more than {FAR} times beyond what was measured"
    if getattr(row, "too_small", False):  # the state of the user's own job is not known
        return "less accelerator memory in total than the state of the training takes"
    return None


def _as_log_normal(row: Any) -> Predicted:
    """Return a prediction as the log-normal with the same median and 90 % interval."""
    import math

    width = math.log(row.high_90 / row.low_90) / (2 * Z_90)
    return Predicted(
        time_median_min=row.time_to_train_min,
        time_log_sigma=width,
        basis="interpolated" if row.basis == "measured" else row.basis,
        reason=row.reason,
    )


def one_accelerator(text: str) -> str:
    """Return the id of exactly one accelerator.

    Raises
    ------
    UsageError
        When the text is none or stands for several.
    """
    ids = facts.accelerators_matching(text)
    if len(ids) > 1:
        raise UsageError(f"{text} is more than one accelerator; say which: {', '.join(ids)}")
    return ids[0]


def _published_answer(
    catalogue: "Catalogue",
    benchmark: str,
    ids: Sequence[str],
    counts: Sequence[int],
    *,
    round_name: str | None,
    submitter: str | None,
) -> Answer:
    from equipoise.report.figures.prediction import prediction
    from equipoise.scaling.predict import predict as compute

    result: PredictionResult = compute(
        pooled_model(catalogue),
        benchmark=benchmark,
        accelerator_id=list(ids),
        accelerators=counts,
        round=round_name,
        submitter=submitter,
    )
    return Answer(
        command="predict",
        tables={"predictions": result.predictions},
        selection={
            "benchmark": result.benchmark,
            "round": result.round,
            "submitter": result.submitter,
            "accelerators": list(ids),
        },
        extra={"model_points": result.model_points, "model_rounds": result.model_rounds},
        footnotes=footnotes(rounds=result.model_rounds, divisions=("closed",), derived=True),
        warnings=result.warnings,
        result=result,
        charts=charts_of({"prediction": lambda: prediction(result.predictions)}),
    )


def _home(
    catalogue: "Catalogue",
    like: str | None,
    ids: Sequence[str],
    measured: Measured,
    measured_on: str | None,
) -> tuple[OwnJob, str, tuple[str, ...]]:
    """Return the job, the accelerator it was measured on, and what had to be assumed."""
    if measured_on is not None:
        home = one_accelerator(measured_on)
        return own_job_of(catalogue, measured, accelerator=home, like=like), home, ()
    only = ids[0] if len(ids) == 1 else None
    try:
        job = own_job_of(catalogue, measured, like=like)
    except UsageError:
        if only is None:
            raise
        job = own_job_of(catalogue, measured, accelerator=only, like=like)  # one of several
    if job.accelerator_id is not None:
        return job, job.accelerator_id, ()
    if only is None:
        raise UsageError(
            f"say with --measured-on which of {', '.join(ids)} the job was measured on"
        )
    assumed = (
        f"the measurements do not say their accelerator: taken to be on {only}; if it was "
        "another, say which with --measured-on"
    )
    return job, only, (assumed,)


def _own_answer(
    catalogue: "Catalogue",
    like: str | None,
    ids: Sequence[str],
    counts: Sequence[int],
    measured: Measured,
    measured_on: str | None,
) -> Answer:
    from equipoise.report.figures.prediction import prediction
    from equipoise.scaling.own_job import own_job

    job, home, assumed = _home(catalogue, like, ids, measured, measured_on)
    points = job.measurements
    model = pooled_model(catalogue)
    result: OwnJobResult = own_job(
        model,
        measured=[(p.accelerators, p.time_to_train_min) for p in points],
        accelerator_id=home,
        accelerators=counts,
        like=like,
        on=ids,
    )
    rounds = tuple(sorted({p.place.round for p in model.pool.points}, key=facts.round_index))
    return Answer(
        command="predict",
        tables={"predictions": result.predictions, "similar": result.similar},
        selection={
            "benchmark": like,
            "accelerators": list(ids),
            "measured": [[p.accelerators, p.time_to_train_min] for p in points],
            "measured_on": home,
        },
        footnotes=footnotes(rounds=rounds, divisions=("closed",), derived=True, unverified=True),
        warnings=(*assumed, *job.warnings, *result.warnings),
        result=result,
        charts=charts_of(
            {
                "prediction": lambda: prediction(
                    result.predictions,
                    measured=[
                        {
                            "accelerator_id": home,
                            "accelerators": p.accelerators,
                            "time_to_train_min": p.time_to_train_min,
                        }
                        for p in points
                    ],
                )
            }
        ),
    )
