"""The components of the default pooled model, one line each, as data."""

from typing import Final

from equipoise.scaling.pooled.kernel import Component, Smooth, Structure

SMOOTH: Final = {
    "hardware": Smooth(
        "gauss",
        (
            ("peak", "peak"),
            ("bandwidth", "bandwidth"),
            ("memory", "memory"),
            ("hardware_year", "hardware_year"),
        ),
    ),
    "block_trend": Smooth("exponential", (("year", "block_trend"),)),
    "accelerator_trend": Smooth("exponential", (("year", "accelerator_trend"),)),
    "curve_trend": Smooth("exponential", (("year", "curve_trend"),)),
    "shape_trend": Smooth("exponential", (("year", "shape_trend"),)),
    "count": Smooth("gauss", (("log_n", "count"),)),
    "block_count": Smooth("matern5", (("log_n", "block_count"),)),
    "curve_count": Smooth("matern3", (("log_n", "curve_count"),)),
    "block_age": Smooth("matern3", (("block_age", "block_age"),)),
    "hardware_age": Smooth("matern3", (("hardware_age", "hardware_age"),)),
}

SCALES: Final = {
    "peak": 3.0,
    "bandwidth": 3.0,
    "memory": 3.0,
    "hardware_year": 5.0,
    "block_trend": 5.0,
    "accelerator_trend": 4.0,
    "curve_trend": 3.0,
    "shape_trend": 2.5,
    "count": 6.0,
    "block_count": 3.0,
    "curve_count": 1.5,
    "block_age": 2.0,
    "hardware_age": 2.0,
}

COMPONENTS: Final = (
    # Level: work of the benchmark, speed of the hardware, and what they have together.
    Component(name="block", same=("block",), variance=4.0),
    Component(name="hardware", smooth=("hardware",), variance=1.3),
    Component(name="accelerator", same=("accelerator",), variance=0.03),
    Component(name="family", same=("family",), variance=0.03),
    Component(name="block_hardware", same=("block",), smooth=("hardware",), variance=0.03),
    Component(name="block_accelerator", same=("block", "accelerator"), heavy=True, variance=0.02),
    Component(name="block_family", same=("block", "family"), variance=0.03),
    Component(name="kind_hardware", same=("kind",), smooth=("hardware",), variance=0.05),
    Component(name="bus", same=("bus",), variance=0.03),
    # Software: progress over rounds.
    Component(name="block_trend", same=("block",), smooth=("block_trend",), variance=0.03),
    Component(
        name="accelerator_trend",
        same=("accelerator",),
        smooth=("accelerator_trend",),
        variance=0.006,
    ),
    Component(
        name="block_vendor_trend",
        same=("block", "vendor"),
        smooth=("block_trend",),
        variance=0.01,
    ),
    Component(
        name="curve_trend",
        same=("block", "accelerator"),
        smooth=("curve_trend",),
        variance=0.001,
    ),
    Component(name="block_age", smooth=("block_age",), variance=0.03),
    Component(name="hardware_age", smooth=("hardware_age",), variance=0.03),
    # Shape: the loss of efficiency with the count.
    Component(name="shape", smooth=("count",), variance=1.0),
    Component(name="block_shape", same=("block",), smooth=("block_count",), variance=0.05),
    Component(
        name="block_shape_trend",
        same=("block",),
        smooth=("block_count", "shape_trend"),
        variance=0.03,
    ),
    Component(
        name="block_hardware_shape",
        same=("block",),
        smooth=("block_count", "hardware"),
        variance=0.05,
    ),
    Component(name="kind_shape", same=("kind",), smooth=("block_count",), variance=0.03),
    Component(name="hardware_shape", smooth=("count", "hardware"), variance=0.1),
    Component(name="vendor_shape", same=("vendor",), smooth=("block_count",), variance=0.01),
    Component(name="bus_shape", same=("bus",), smooth=("block_count",), variance=0.02),
    Component(
        name="curve_shape",
        same=("block", "accelerator"),
        smooth=("curve_count",),
        variance=0.004,
    ),
    # Submitters of like systems.
    Component(name="submitter", submitters=True, variance=0.003),
    Component(name="submitter_round", same=("round",), submitters=True, variance=0.003),
    Component(name="submitter_block", same=("block",), submitters=True, variance=0.003),
)

STRUCTURE: Final = Structure(COMPONENTS, SMOOTH, SCALES)
