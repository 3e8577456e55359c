"""Commands that analyse configurations: one workflow call each."""

from typing import TYPE_CHECKING, Annotated, Any

from equipoise.cli import completion
from equipoise.cli.declare import Option
from equipoise.cli.options import (
    Benchmark,
    Groups,
    RankingMethod,
    Report,
    Resamples,
    Seed,
    Weights,
)
from equipoise.workflow.answer import Answer

if TYPE_CHECKING:
    from equipoise.catalogue import Catalogue

Reference = Annotated[
    str,
    Option(
        "--reference",
        help="What speedup and efficiency refer to: smallest (fewest accelerators of the same "
        "curve), slowest (slowest small machine of the workload) or a system id.",
    ),
]


def scaling(
    catalogue: "Catalogue",
    selection: dict[str, Any],
    benchmark: Benchmark,
    *,
    reference: Reference = "smallest",
    by: Annotated[
        str, Option("--by", help="Curves per accelerator or accelerator+submitter.")
    ] = "accelerator",
    resamples: Resamples = 1000,
    seed: Seed = 0,
) -> Answer:
    """Speedup, efficiency and accelerator-hours along each curve, and the laws fitted to it.

    Example: equipoise scaling bert --round v4.1 --accelerator h100-sxm5-80gb
    """
    from equipoise.workflow import analyses

    return analyses.scaling(
        catalogue,
        benchmark,
        reference=reference,
        by=by,
        resamples=resamples,
        seed=seed,
        **selection,
    )


def breakeven(
    catalogue: "Catalogue",
    selection: dict[str, Any],
    benchmark: Benchmark,
    *,
    rule: Annotated[
        list[str] | None,
        Option(
            "--rule",
            help="{names}; may be repeated. Default: all.",
            names=completion.rules,
        ),
    ] = None,
    efficiency_floor: Annotated[
        float,
        Option("--efficiency-floor", min=0.0, max=1.0, help="Rule efficiency: least efficiency."),
    ] = 0.5,
    marginal_gain: Annotated[
        float,
        Option(
            "--marginal-gain",
            min=0.0,
            max=1.0,
            help="Rule marginal: least share of the time that a doubling must save.",
        ),
    ] = 0.25,
    reference: Reference = "smallest",
    resamples: Resamples = 1000,
    seed: Seed = 0,
) -> Answer:
    """Find the largest number of accelerators that is still worth it, by every rule.

    Example: equipoise breakeven llama2_70b_lora --round v4.1
    """
    from equipoise.workflow import analyses

    return analyses.breakeven(
        catalogue,
        benchmark,
        rules=tuple(rule or ()),
        efficiency_floor=efficiency_floor,
        marginal_gain=marginal_gain,
        reference=reference,
        resamples=resamples,
        seed=seed,
        **selection,
    )


def importance(
    catalogue: "Catalogue",
    selection: dict[str, Any],
    benchmark: Benchmark,
    *,
    target: Annotated[
        str,
        Option("--target", help="Criterion to explain: {names}.", names=completion.criteria),
    ] = "time_to_train_min",
    seed: Seed = 0,
) -> Answer:
    """Stage 1: which variables matter, and how far to believe it.

    Example: equipoise importance resnet --target efficiency
    """
    from equipoise.workflow import analyses

    return analyses.importance(catalogue, benchmark, target=target, seed=seed, **selection)


def cluster(
    catalogue: "Catalogue",
    selection: dict[str, Any],
    benchmark: Benchmark,
    *,
    k: Groups = "5",
    method: Annotated[
        str, Option("--method", help="{names}.", names=completion.clusterings)
    ] = "kmeans",
    seed: Seed = 0,
) -> Answer:
    """Stage 2: groups of configurations, described from their own numbers.

    Example: equipoise cluster resnet --k 5
    """
    from equipoise.workflow import analyses

    return analyses.cluster(catalogue, benchmark, k=k, method=method, seed=seed, **selection)


def rank(
    catalogue: "Catalogue",
    selection: dict[str, Any],
    benchmark: Benchmark,
    *,
    method: RankingMethod = "topsis",
    weights: Weights = "equal",
    criteria: Annotated[
        str | None,
        Option(
            "--criteria",
            help="Criteria, separated by commas: {names}.",
            names=completion.criteria,
        ),
    ] = None,
    resamples: Resamples = 1000,
    seed: Seed = 0,
) -> Answer:
    """Stage 3: rank configurations by several criteria, with how sure each rank is.

    Example: equipoise rank resnet --method promethee --weights critic
    """
    from equipoise.workflow import analyses

    return analyses.rank(
        catalogue,
        benchmark,
        method=method,
        weights=weights,
        criteria=tuple(c.strip() for c in criteria.split(",")) if criteria else None,
        resamples=resamples,
        seed=seed,
        **selection,
    )


def study(
    catalogue: "Catalogue",
    selection: dict[str, Any],
    benchmark: Benchmark,
    *,
    k: Groups = "5",
    method: RankingMethod = "topsis",
    weights: Weights = "equal",
    report: Report = None,
    resamples: Resamples = 1000,
    seed: Seed = 0,
) -> Answer:
    """All three stages, the break-even point and the answer in a sentence.

    Example: equipoise study resnet --report report/resnet.html
    """
    from equipoise.cli.show import write_file
    from equipoise.extras import need
    from equipoise.workflow.study import study as run_study
    from equipoise.workflow.study import study_report

    if report is not None:
        need("charts", "a report", "vl_convert")
    answer = run_study(
        catalogue,
        benchmark,
        k=k,
        method=method,
        weights=weights,
        resamples=resamples,
        seed=seed,
        **selection,
    )
    if report is None:
        return answer
    write_file(report, study_report(answer))
    return answer.with_note(f"report: {report}")


def study_scaling(
    catalogue: "Catalogue",
    *,
    paper: Annotated[
        bool,
        Option("--paper", help="The second paper's setting (the only one, so the default)."),
    ] = True,
    report: Report = None,
    resamples: Resamples = 1000,
    seed: Seed = 0,
) -> Answer:
    """Scaling of BERT, Llama2-70B-LoRA, RetinaNet and Stable Diffusion in v4.1, as in paper 2.

    Example: equipoise study-scaling --paper --report report/paper2.html
    """
    from equipoise.cli.show import write_file
    from equipoise.extras import need
    from equipoise.workflow import paper2

    del paper
    if report is not None:
        need("charts", "a report", "vl_convert")
    answer = paper2.study_scaling(catalogue, resamples=resamples, seed=seed)
    if report is None:
        return answer
    write_file(report, paper2.study_scaling_report(answer))
    return answer.with_note(f"report: {report}")


def reproduce(
    catalogue: "Catalogue",
    *,
    report: Report = None,
    resamples: Resamples = 1000,
    seed: Seed = 0,
) -> Answer:
    """Test every claim of the two papers' summaries on the data: verdict and evidence.

    Example: equipoise reproduce --format json
    """
    from equipoise.cli.show import write_file
    from equipoise.extras import need
    from equipoise.workflow import reproduce as module

    if report is not None:
        need("charts", "a report", "vl_convert")
    answer = module.reproduce(catalogue, resamples=resamples, seed=seed)
    if report is None:
        return answer
    write_file(report, module.reproduce_report(answer))
    return answer.with_note(f"report: {report}")
