"""The sentences of stage 1, made from its numbers."""

from collections.abc import Sequence

from equipoise.domain import Configuration
from equipoise.evaluate.groups import SAME
from equipoise.evaluate.permutation import SHUFFLES, Rise
from equipoise.evaluate.results import FixedEffect, Skill, VariableImportance
from equipoise.metrics.criteria import Criterion
from equipoise.metrics.variables import Variable

SHOWN = 3


def count(n: int) -> str:
    """Return the number of configurations in words.

    >>> count(1), count(0)
    ('1 configuration', 'No configuration')
    """
    return "No configuration" if n == 0 else f"{n} configuration{'' if n == 1 else 's'}"


def one_benchmark(configurations: Sequence[Configuration]) -> str | None:
    """Return the benchmark when there is exactly one."""
    found = {c.benchmark for c in configurations}
    return found.pop() if len(found) == 1 else None


def skill(
    item: Criterion, kind: str, r2: float | None, low: float | None, high: float | None,
    mdape: float | None, floor: float,
) -> str:  # fmt: skip
    """Return the sentence about the held-out skill."""
    if r2 is None:
        return "The skill cannot be measured: the target does not vary."
    scale = f"log {item.label}" if item.log else item.label
    interval = "" if low is None or high is None else f" (90 % interval {low:.2f} to {high:.2f})"
    error = "" if mdape is None else f", with a median error of {mdape:.0%}"
    text = f"On groups ({kind}) that it has not seen, the model has R2 = {r2:.2f}{interval} for "
    text += f"{scale}{error}"
    return text + (f"; below the floor of {floor:.2f}." if r2 < floor else ".")


def withheld(result: Skill) -> str:
    """Return the sentence that stands in for withheld importances."""
    value = "unknown" if result.r2 is None else f"{result.r2:.2f}"
    return (
        f"Importances are withheld: the model's held-out R2 is {value}, below {result.floor:.2f}, "
        "and the importances of a model that cannot predict mean nothing."
    )


def variable(item: Variable, rise: Rise, names: Sequence[str], votes: Sequence[bool]) -> str:
    """Return the sentence about one set of variables."""
    others = f" (with {', '.join(names[1:])})" if len(names) > 1 else ""
    verdict = "matters" if rise.low > 0 else "no effect seen"
    return (
        f"{item.label}{others}: {verdict}; it explains {rise.importance:.1%} of the "
        f"variance (90 % interval {rise.low:.1%} to {rise.high:.1%}); "
        f"{sum(votes)} of 3 methods say it matters."
    )


def summary(
    item: Criterion, quality: Skill, rows: Sequence[VariableImportance],
    fixed: Sequence[FixedEffect],
) -> str:  # fmt: skip
    """Return stage 1 in one or two sentences."""
    strong = [r for r in rows if r.matters]
    if strong:
        listed = ", ".join(f"{r.label} ({r.importance:.0%})" for r in strong[:SHOWN])
        text = f"{item.label.capitalize()} is explained above all by {listed}"
        text += f" and {len(strong) - SHOWN} more" if len(strong) > SHOWN else ""
    else:
        text = f"No single variable explains {item.label} for sure"
    text += f" (held-out R2 {quality.r2:.2f})." if quality.r2 is not None else "."
    return f"{text} {fixed_answer(fixed)}".strip()


def fixed_answer(fixed: Sequence[FixedEffect]) -> str:
    """Return the answer to "do interconnect and CPU matter?" at fixed accelerator and count."""
    parts = []
    for question, name in (("interconnect", "link"), ("network", "network"), ("host", "host")):
        rows = [f for f in fixed if f.question == question]
        tested = [f for f in rows if f.p_value is not None]
        found = [f for f in tested if f.verdict == "matters"]
        if found:
            best = max(found, key=lambda f: f.explained or 0.0)
            parts.append(f"the {name} matters ({best.label} explains {best.explained:.0%})")
        elif tested:
            parts.append(f"no effect of the {name} is seen")
        elif rows:
            parts.append(f"the {name} cannot be judged")
    if not parts:
        return ""
    return "At fixed accelerator, count and round, " + "; ".join(parts) + "."


def method(kind: str, *, folds: int, repeats: int) -> str:
    """Return the method in words."""
    return (
        "Ridge regression and extremely randomised trees on its residuals; "
        f"{folds}-fold cross-validation repeated {repeats} times, groups ({kind}) kept together; "
        f"permutation importance on held-out rows, {SHUFFLES} shuffles, variables associated by "
        f"{SAME} or more shuffled together; 90 % intervals by a bootstrap over groups; binned "
        "mutual information (G-test) and a lasso (one-standard-error rule) beside it."
    )
