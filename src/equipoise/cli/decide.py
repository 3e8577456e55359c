"""Commands that predict and decide: one workflow call each."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from equipoise.cli import completion
from equipoise.cli.declare import Argument, Option
from equipoise.cli.options import Benchmark, Seed
from equipoise.workflow.answer import Answer

if TYPE_CHECKING:
    from equipoise.catalogue import Catalogue

OptionalBenchmark = Annotated[
    str | None,
    Argument(
        metavar="[BENCHMARK]",
        names=completion.benchmarks,
        help="Benchmark: id, pretty name or alias; with --measured the one your job is like.",
    ),
]
Measured = Annotated[
    str | None,
    Option(
        "--measured",
        help="Your own job: 8=180min,16=97min, or a CSV, JSON or Parquet file. Never verified.",
    ),
]
MeasuredOn = Annotated[
    str | None,
    Option(
        "--measured-on",
        help="Accelerator your job was measured on.",
        names=completion.accelerators,
    ),
]
_PURCHASE = "Buying beside renting"
PriceKind = Annotated[
    str, Option("--price-kind", help="on-demand, spot, reserved, reserved-1y ...")
]


def predict(
    catalogue: "Catalogue",
    benchmark: OptionalBenchmark = None,
    *,
    accelerator: Annotated[
        list[str],
        Option(
            "--accelerator",
            help="Accelerator id or family; may be repeated.",
            names=completion.accelerators,
        ),
    ],
    accelerators: Annotated[
        str, Option("--accelerators", help="Counts, such as 8,64,512.", metavar="N[,N...]")
    ],
    round: Annotated[  # noqa: A002  (the name of the option)
        str | None, Option("--round", help="Whose software; default: the latest round.")
    ] = None,
    submitter: Annotated[
        str | None,
        Option("--submitter", help="Whose tuning; `typical` for the average submitter."),
    ] = None,
    measured: Measured = None,
    measured_on: MeasuredOn = None,
) -> Answer:
    """Predict configurations nobody measured, or your own job, with honest intervals.

    Example: equipoise predict llama2_70b_lora --accelerator h200-sxm5-141gb --accelerators 8,64,512
    """
    from equipoise.workflow import prediction

    return prediction.predict(
        catalogue,
        benchmark,
        accelerator=accelerator,
        accelerators=accelerators,
        round=round,
        submitter=submitter,
        measured=measured,
        measured_on=measured_on,
    )


def suggest(
    catalogue: "Catalogue",
    benchmark: OptionalBenchmark = None,
    *,
    measured: Annotated[
        str, Option("--measured", help="Your own job: 8=180min,16=97min, or a file.")
    ],
    accelerator: Annotated[str, Option("--accelerator", help="Accelerator it was measured on.")],
    candidates: Annotated[
        str | None,
        Option(
            "--accelerators", help="Counts you could measure, such as 32,64.", metavar="N[,N...]"
        ),
    ] = None,
    on: Annotated[
        list[str] | None,
        Option("--on", help="Accelerators you could measure on; may be repeated."),
    ] = None,
    efficiency_floor: Annotated[
        float, Option("--efficiency-floor", min=0.0, max=1.0, help="Of the decision.")
    ] = 0.5,
    seed: Seed = 0,
) -> Answer:
    """Say which configuration of your own job to measure next, and why.

    Example: equipoise suggest bert --measured 8=5.4min --accelerator h100-sxm5-80gb
    """
    from equipoise.workflow import accuracy

    return accuracy.suggest(
        catalogue,
        benchmark,
        measured=measured,
        accelerator=accelerator,
        candidates=candidates,
        on=on or (),
        efficiency_floor=efficiency_floor,
        seed=seed,
    )


def validate(
    catalogue: "Catalogue",
    *,
    protocol: Annotated[
        list[str] | None,
        Option(
            "--protocol",
            help="interior, edge, pair, family, forward or own-job; may be repeated.",
        ),
    ] = None,
    baselines: Annotated[
        bool, Option("--baselines/--no-baselines", help="Also measure the baselines.")
    ] = True,
    workers: Annotated[
        int, Option("--workers", min=0, help="Processes; 0 takes one for each core.")
    ] = 0,
    scheduler: Annotated[
        str | None,
        Option("--scheduler", help="Dask scheduler (tcp://host:8786) whose workers do it instead."),
    ] = None,
    seed: Seed = 0,
) -> Answer:
    """Measure the accuracy of the predictors on left-out results, against baselines.

    Example: equipoise validate --protocol interior --protocol edge
    """
    from equipoise.cli.progress import progress
    from equipoise.workflow import accuracy

    with progress("folds", unit="") as advance:
        return accuracy.validate(
            catalogue,
            protocols=tuple(protocol or ()),
            baselines=baselines,
            workers=workers,
            scheduler=scheduler,
            seed=seed,
            progress=advance,
        )


# long: one argument for each option, with its help
def advise(
    catalogue: "Catalogue",
    selection: dict[str, Any],
    benchmark: OptionalBenchmark = None,
    *,
    deadline: Annotated[str | None, Option("--deadline", help="Such as 2h, 90min or 1.5d.")] = None,
    budget: Annotated[str | None, Option("--budget", help="Such as 500usd.")] = None,
    price_kind: PriceKind = "on-demand",
    prices: Annotated[Path | None, Option("--prices", help="Your own price list (CSV).")] = None,
    rates: Annotated[
        str | None, Option("--rate", help="Other currencies in USD: EUR=1.08,GBP=1.27.")
    ] = None,
    objective: Annotated[str, Option("--objective", help="balanced, time or cost.")] = "balanced",
    measured: Measured = None,
    measured_on: MeasuredOn = None,
    like: Annotated[str | None, Option("--like", help="Benchmark your job is like.")] = None,
    measured_only: Annotated[
        bool, Option("--measured-only", help="Only published configurations.")
    ] = False,
    estimate_energy: Annotated[
        bool,
        Option("--estimate-energy", help="Add a planning estimate; not an MLPerf metric."),
    ] = False,
    grid: Annotated[
        float | None,
        Option("--grid-g-per-kwh", min=0.0, help="Carbon intensity of the grid, g/kWh."),
    ] = None,
    interruptions: Annotated[
        float | None,
        Option("--interruptions", min=0.0, help="Spot: interruptions per instance and hour."),
    ] = None,
    interruption_loss: Annotated[
        str | None,
        Option("--interruption-loss", help="Spot: what one costs the job, such as 15min."),
    ] = None,
    purchase: Annotated[
        str | None,
        Option(
            "--purchase",
            help="Put buying beside renting: price of an accelerator with its share of the "
            "system, 35000usd or h200=38000usd,b200=50000usd.",
            section=_PURCHASE,
        ),
    ] = None,
    years: Annotated[
        float | None,
        Option("--years", help="Written off over; 4.", section=_PURCHASE),
    ] = None,
    utilisation: Annotated[
        float | None,
        Option("--utilisation", help="Share of all hours it trains; 0.6.", section=_PURCHASE),
    ] = None,
    power_price: Annotated[
        float | None,
        Option("--power-price", help="USD per kWh; 0.12.", section=_PURCHASE),
    ] = None,
    running_cost: Annotated[
        float | None,
        Option(
            "--running-cost",
            help="Staff, space, support: USD per accelerator and year; 0.",
            section=_PURCHASE,
        ),
    ] = None,
    pue: Annotated[
        float | None,
        Option(
            "--pue",
            help="Power of the data centre over that of its computers; 1.3. Also for "
            "--estimate-energy.",
            section=_PURCHASE,
        ),
    ] = None,
) -> Answer:
    """Recommend a configuration under a deadline and a budget, with the reasons.

    Exit code 3 and the nearest misses when nothing is feasible.

    Example: equipoise advise llama2_70b_lora --deadline 30min --budget 300usd
    """
    from equipoise.workflow import decisions

    return decisions.advise(
        catalogue,
        benchmark,
        deadline=deadline,
        budget=budget,
        price_kind=price_kind,
        prices=prices,
        rates=rates,
        objective=objective,
        measured=measured,
        measured_on=measured_on,
        like=like,
        predicted=not measured_only,
        estimate_energy=estimate_energy,
        grid_g_per_kwh=grid,
        interruptions=interruptions,
        interruption_loss=interruption_loss,
        purchase=purchase,
        years=years,
        utilisation=utilisation,
        power_price=power_price,
        running_cost=running_cost,
        pue=pue,
        **selection,
    )


def compare(
    catalogue: "Catalogue",
    a: Annotated[
        str, Argument(metavar="A", help="round/submitter/system/benchmark, or an accelerator.")
    ],
    b: Annotated[str, Argument(metavar="B", help="The other one.")],
    *,
    benchmark: Annotated[
        str | None, Option("--benchmark", help="Where A and B do not say it.")
    ] = None,
    price_kind: PriceKind = "on-demand",
    seed: Seed = 0,
) -> Answer:
    """Put two configurations side by side: ratio, interval, probability that A is faster.

    Example: equipoise compare v4.1/Dell/XE9680x8H100-SXM-80GB v4.1/Oracle/BM.GPU.H100.8
    --benchmark bert
    """
    from equipoise.workflow import decisions

    return decisions.compare(catalogue, a, b, benchmark=benchmark, price_kind=price_kind, seed=seed)


def trends(catalogue: "Catalogue", selection: dict[str, Any], benchmark: Benchmark) -> Answer:
    """Show progress over rounds at like hardware and count: software against hardware.

    Example: equipoise trends resnet
    """
    from equipoise.workflow import decisions

    return decisions.trends(catalogue, benchmark, **selection)
