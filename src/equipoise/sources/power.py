"""Read measured power: the files `power/result_N/node_*.txt` and `sw_*.txt` of a run.

A node's energy is the sum of its readings times the time since the stamp before, made to
span the whole run; a switch counts with its estimated power. The formula is that of
`result_summarizer` in mlperf-logging.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from equipoise.sources.layout import FilePlace
from equipoise.sources.logs import EARLIEST_MS, LATEST_MS, number
from equipoise.sources.records import RecordReader

_WANTED: Final = frozenset(
    {
        "power_measurement_start",
        "power_measurement_stop",
        "power_reading",
        "conversion_eff",
        "interconnect_power_est",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerFile:
    """What one power file says."""

    place: FilePlace
    is_switch: bool
    start_ms: float | None
    stop_ms: float | None
    """power_measurement_stop, or None if it is not logged."""
    last_reading_ms: float | None
    watt_ms: float
    """Sum of readings times the time since the stamp before, up to the stop."""
    conversion_efficiency: float
    switch_w: float | None
    readings: int
    damage_count: int


def read_power(pieces: Iterable[bytes], place: FilePlace) -> PowerFile:
    """Return the facts of one power file."""
    reader = RecordReader(wanted=_WANTED, earliest_ms=EARLIEST_MS, latest_ms=LATEST_MS)
    records: list[tuple[float, str, float | None]] = []
    efficiency, switch = 1.0, None
    for key, time_ms, value, _ in reader.records(pieces):
        amount = number(value)
        if key == "interconnect_power_est":
            switch = amount if switch is None else switch
        elif key == "conversion_eff":
            efficiency = amount if amount is not None and switch is None else efficiency
        else:
            records.append((time_ms, key, amount))
    is_switch = place.path.rpartition("/")[2].startswith("sw_")
    start = stop = last = None
    previous, total, readings = 0.0, 0.0, 0
    for time_ms, key, amount in sorted(records, key=lambda record: record[0]):
        if key == "power_measurement_start":
            start, previous = time_ms, time_ms
        elif key == "power_measurement_stop":
            stop = time_ms
        elif start is not None and stop is None and amount is not None:
            total += amount * (time_ms - previous)
            previous = last = time_ms
            readings += 1
    return PowerFile(
        place=place,
        is_switch=is_switch,
        start_ms=start,
        stop_ms=stop,
        last_reading_ms=last,
        watt_ms=total,
        conversion_efficiency=efficiency,
        switch_w=switch,
        readings=readings,
        damage_count=reader.damage_count,
    )
