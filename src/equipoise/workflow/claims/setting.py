"""Claims of the scaling paper on its data: workloads, variety, quality, accelerators."""

from typing import Final

from equipoise import facts
from equipoise.scaling.paper2 import PAPER2_BENCHMARKS, PAPER2_ROUND
from equipoise.workflow.claims.base import (
    CANNOT_BE_TESTED,
    SCALING_PAPER,
    Claim,
    Evidence,
    Finding,
    graded,
)

NAMED: Final = ("a100", "v100")


def workloads(evidence: Evidence) -> Finding:
    """Count the configurations of every workload."""
    numbers = {name: len(evidence.round_of(name)) for name in PAPER2_BENCHMARKS}
    said = ", ".join(f"{_name(name)} {count}" for name, count in numbers.items())
    return Finding(
        verdict=graded(count > 0 for count in numbers.values()),
        evidence=f"Scored configurations in {PAPER2_ROUND}, closed division: {said}.",
        numbers={f"{name}_configurations": count for name, count in numbers.items()},
    )


def varied(evidence: Evidence) -> Finding:
    """See what of count, batch, parallelism and network differs between configurations."""
    found = [c for name in PAPER2_BENCHMARKS for c in evidence.round_of(name)]
    numbers = {
        "accelerator_counts": len({c.accelerators for c in found}),
        "batch_sizes": len({c.global_batch_size for c in found if c.global_batch_size}),
        "tensor_parallelisms": len({c.tensor_parallelism for c in found if c.tensor_parallelism}),
        "networks": len({c.host_networking for c in found if c.host_networking}),
    }
    said = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in numbers.items())
    return Finding(
        verdict=graded(count > 1 for count in numbers.values()),
        evidence=f"Different published values in {len(found)} configurations: {said}. "
        "Nobody varied them one by one, so an effect of one alone can rarely be told.",
        numbers=numbers,
    )


def quality(evidence: Evidence) -> Finding:
    """Count runs that missed the target: a score exists only where enough reached it."""
    found = [c for name in PAPER2_BENCHMARKS for c in evidence.round_of(name)]
    runs = sum(len(c.run_times_min) + c.runs_failed for c in found)
    failed = sum(c.runs_failed for c in found)
    return Finding(
        verdict=graded([bool(found) and failed < runs]),
        evidence=f"A time to train ends when the quality target of the benchmark is reached, so "
        f"every score is at the same quality: {failed} of {runs} runs of {len(found)} "
        "configurations missed it and count as infinitely slow. Holds by construction.",
        numbers={"configurations": len(found), "runs": runs, "runs_failed": failed},
    )


def accelerators(evidence: Evidence) -> Finding:
    """Look for the accelerators that the text names."""
    found = [(name, c) for name in PAPER2_BENCHMARKS for c in evidence.round_of(name)]
    with_one = {
        family: [
            (name, c) for name, c in found if (c.accelerator_id or "").startswith(f"{family}-")
        ]
        for family in NAMED
    }
    said = "; ".join(
        f"{family.upper()}: {len(rows)} of {len(found)} configurations"
        + (f" ({', '.join(sorted({_name(name) for name, _ in rows}))})" if rows else "")
        for family, rows in with_one.items()
    )
    newest = sorted({c.accelerator_id or "none" for _, c in found})
    return Finding(
        verdict=graded(bool(rows) for rows in with_one.values()),
        evidence=f"{said}. {PAPER2_ROUND} has {', '.join(newest)}.",
        numbers={f"{family}_configurations": len(rows) for family, rows in with_one.items()},
    )


def utilisation(evidence: Evidence) -> Finding:
    """Say what is not published."""
    found = [c for name in PAPER2_BENCHMARKS for c in evidence.round_of(name)]
    rated = sum(c.throughput_samples_per_s is not None for c in found)
    return Finding(
        verdict=CANNOT_BE_TESTED,
        evidence=f"The published files hold no utilisation or memory use of accelerators; a "
        f"throughput can be derived for {rated} of {len(found)} configurations.",
        numbers={"configurations": len(found), "with_throughput": rated},
    )


def _name(benchmark: str) -> str:
    return facts.benchmark(benchmark).pretty_name


CLAIMS: Final = (
    Claim(
        source=SCALING_PAPER,
        claim="MLPerf Training v4.1 has BERT, Llama 2 70B LoRA, RetinaNet and Stable Diffusion.",
        test="Scored configurations of each of the four.",
        judge=workloads,
    ),
    Claim(
        source=SCALING_PAPER,
        claim="Batch size, accelerator count, parallelism and network vary between them.",
        test="Each of the four has two values or more.",
        judge=varied,
    ),
    Claim(
        source=SCALING_PAPER,
        claim="The shorter training does no harm to the quality of the model.",
        test="A score needs the quality target; runs that missed it are counted.",
        judge=quality,
    ),
    Claim(
        source=SCALING_PAPER,
        claim="The accelerators include the NVIDIA A100 and the V100.",
        test="Configurations of the four workloads with each of them.",
        judge=accelerators,
    ),
    Claim(
        source=SCALING_PAPER,
        claim="The use of the accelerators was measured.",
        test="Whether utilisation is in the published files.",
        judge=utilisation,
    ),
)
"""What the text says of its data."""
