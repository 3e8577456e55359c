"""Fit Extra-P to curves given as JSON on stdin; write its predictions as JSON to stdout.

Extra-P needs an older numpy than equipoise, so it runs in an environment of its own:

    python -m venv extrap-env && extrap-env/bin/pip install extrap
    python benchmarks/accuracy.py --extrap-python extrap-env/bin/python

Input: `[{"counts": [...], "minutes": [...], "wanted": [...]}, ...]`; output: a list of lists
of minutes, null where Extra-P gives no model. It is used as its manual says for strong
scaling: one parameter, negative exponents allowed, the mean of each measurement.
"""

import json
import logging
import sys
import warnings

from extrap.entities.callpath import Callpath
from extrap.entities.coordinate import Coordinate
from extrap.entities.experiment import Experiment
from extrap.entities.measurement import Measurement
from extrap.entities.metric import Metric
from extrap.entities.parameter import Parameter
from extrap.modelers.model_generator import ModelGenerator

LEAST_POINTS = 3


def predictions(
    counts: list[float], minutes: list[float], wanted: list[float]
) -> list[float | None]:
    """Return Extra-P's minutes at the wanted counts."""
    if len(set(counts)) < LEAST_POINTS:
        return [None] * len(wanted)
    experiment = Experiment()
    experiment.add_parameter(Parameter("n"))
    path, metric = Callpath("training"), Metric("minutes")
    experiment.add_callpath(path)
    experiment.add_metric(metric)
    for n, value in zip(counts, minutes, strict=True):
        coordinate = Coordinate(float(n))
        experiment.add_coordinate(coordinate)
        experiment.add_measurement(Measurement(coordinate, path, metric, [value]))
    generator = ModelGenerator(experiment)
    modeler = generator.modeler
    single = getattr(modeler, "single_parameter_modeler", modeler)
    single.allow_negative_exponents = True
    generator.model_all()
    model = generator.models.get((path, metric))
    if model is None:
        return [None] * len(wanted)
    return [float(model.hypothesis.function.evaluate(float(n))) for n in wanted]


def main() -> None:
    """Read curves, write predictions."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    curves = json.load(sys.stdin)
    json.dump([predictions(c["counts"], c["minutes"], c["wanted"]) for c in curves], sys.stdout)


if __name__ == "__main__":
    main()
