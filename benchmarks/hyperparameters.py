"""Find the hyperparameters and calibrations that come with the package; write them as data.

    python benchmarks/hyperparameters.py [--catalogue DIR] [--workers 2]

Learns the hyperparameters of the pooled model from all points by marginal likelihood, runs
the nested validation for the sizes of the errors of each kind of prediction, and writes
`src/equipoise/scaling/pooled/data/hyperparameters.json`. A few minutes on two cores.
"""

import argparse
import json
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from equipoise import facts
from equipoise.catalogue import Catalogue
from equipoise.scaling.pooled.calibration import calibrate
from equipoise.scaling.pooled.learn import learn
from equipoise.scaling.pooled.points import build_pool, pool_points
from equipoise.scaling.pooled.shipped import FILE
from equipoise.scaling.pooled.structure import STRUCTURE
from equipoise.scaling.validate import validate
from equipoise.scaling.validate_pooled import FORWARD_GAP, KINDS, Scored, own_job_settings
from equipoise.scaling.validate_protocols import FORWARD
from equipoise.workflow.pooled import all_configurations

OUT = Path(__file__).parents[1] / "src/equipoise/scaling/pooled/data" / FILE
COMMAND = "python benchmarks/hyperparameters.py"
CYCLES, STEPS = 4, 20
DIGITS = 5


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--catalogue", type=Path, default=None)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    with Catalogue.open(options.catalogue) as catalogue:
        configurations = all_configurations(catalogue)
    points = pool_points(configurations)
    pool = build_pool(points)
    theta, robust, value = learn(STRUCTURE, pool, cycles=CYCLES, steps=STEPS)
    print(f"{len(points)} points, negative log posterior {value:.1f}")
    theta = np.log([rounded(v) for v in np.exp(theta)])
    settings, _ = own_job_settings(pool, theta, robust)
    with ProcessPoolExecutor(options.workers) as executor:
        found = validate(
            configurations,
            baselines=False,
            rng=np.random.default_rng(0),
            executor=executor,
            progress=lambda done, total: print(f"{done} of {total} folds", flush=True),
        )
    calibrations = {}
    for protocol, kind in KINDS.items():
        scored = [s for s in found.scored if s.protocol == protocol and s.predictor == "pooled"]
        if protocol == FORWARD:
            scored = latest(scored, found.keys)
        calibration = calibrate(
            np.array([s.standardised for s in scored], dtype=float), located=protocol == FORWARD
        )
        calibrations[kind] = {
            "scale": rounded(calibration.scale),
            "freedom": calibration.freedom,
            "errors": calibration.errors,
            "location": rounded(calibration.location),
        }
    rounds = sorted({p.place.round for p in points}, key=facts.round_index)
    content = {
        "command": COMMAND,
        "points": len(points),
        "rounds": rounds,
        "own_job": {
            "shape_share": settings.shape_share,
            "level_spread": settings.level_spread,
        },
        "calibrations": calibrations,
        "hyperparameters": {
            name: rounded(v) for name, v in zip(STRUCTURE.names, np.exp(theta), strict=True)
        },
    }
    OUT.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    for row in found.accuracy:
        print(row)


def latest(scored: list[Scored], keys: Sequence[str]) -> list[Scored]:
    """Return the points of the latest rounds, as many as a fold of the validation takes."""
    round_of = {s.point: keys[s.point].partition("/")[0] for s in scored}
    rounds = sorted(set(round_of.values()), key=facts.round_index)[-FORWARD_GAP:]
    return [s for s in scored if round_of[s.point] in rounds]


def rounded(value: float) -> float:
    """Return a value with few digits, so that the file can be read."""
    return float(f"{value:.{DIGITS}g}")


if __name__ == "__main__":
    main()
