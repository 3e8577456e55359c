"""Measured energy of a training run, from the power log of its nodes and switches.

The formulas are those of `result_summarizer` in mlperf-logging and of MLCommons'
`power_measurement.adoc`. Figures are measured; estimates from rated power are not here.
"""

from equipoise.units import J_PER_KJ, MS_PER_S


def node_energy_kj(
    *,
    watt_ms: float,
    measured_ms: float,
    run_ms: float,
    conversion_efficiency: float = 1.0,
) -> float | None:
    r"""Return the energy of one node over a run.

    .. math:: E = \eta \frac{t_{run}}{t_{meas}} \sum_i P_i (t_i - t_{i-1})

    Parameters
    ----------
    watt_ms
        The sum of readings P in watts times the milliseconds since the stamp before.
    measured_ms
        Length of the measurement, t_meas.
    run_ms
        Time to train, t_run.
    conversion_efficiency
        eta, of the measured power (DC) to what the node takes.

    Returns
    -------
    float or None
        Kilojoules; None where the measurement has no length.

    >>> node_energy_kj(watt_ms=1000.0 * 60_000, measured_ms=60_000.0, run_ms=300_000.0)
    300.0
    """
    if measured_ms <= 0:
        return None
    return conversion_efficiency * watt_ms * run_ms / measured_ms / MS_PER_S / J_PER_KJ


def switch_energy_kj(*, power_w: float, run_ms: float, conversion_efficiency: float = 1.0) -> float:
    r"""Return the energy of one switch over a run, from its estimated power.

    .. math:: E = \eta P t_{run}

    >>> switch_energy_kj(power_w=100.0, run_ms=60_000.0)
    6.0
    """
    return conversion_efficiency * power_w * run_ms / MS_PER_S / J_PER_KJ
