"""Read measured power: the files `power/result_N/node_*.txt` and `sw_*.txt` of a run.

A node's energy is the sum of its readings times the time since the stamp before, made to
span the whole run; a switch counts with its estimated power. The formulas are those of
`result_summarizer` in mlperf-logging, which changed between v4.0 and v4.1.
"""

import re
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import field
from operator import ge
from typing import Final, NamedTuple

from equipoise.sources.layout import FilePlace
from equipoise.sources.logs import LATEST_MS, number
from equipoise.sources.records import TOKEN, Record, RecordReader, whole_record, windows
from equipoise.structs import dataclass

FILE_ORDER_ROUNDS: Final = frozenset({"v4.0"})
"""Rounds published with the formula before mlperf-logging c401ff0 (2024-09-19).

It takes the readings in the order of the file up to `power_measurement_stop`, and the
measurement ends with the later of that stamp and the last reading. From v4.1 on records
count in the order of their stamps, and only readings before the stop.
"""

SWITCH_PREFIX: Final = "sw_"

_START, _STOP = "power_measurement_start", "power_measurement_stop"
_READING, _EFFICIENCY, _SWITCH = "power_reading", "conversion_eff", "interconnect_power_est"
_WANTED: Final = frozenset({_START, _STOP, _READING, _EFFICIENCY, _SWITCH})
_READING_START: Final = re.compile(
    rb'LOG \{"namespace": ?"", ?"time_ms": ?([1-9]\d{0,15}), ?"event_type": ?"POINT_IN_TIME", ?'
    rb'"key": ?"power_reading", ?"value": ?((?:0|[1-9]\d{0,11})(?:\.\d{1,20})?),'
)
"""A reading as all loggers write it, up to the comma behind its value."""
_MOST_TAILS: Final = 256
_LONGEST_TAIL: Final = 4096
"""With the number of tails it bounds their memory: an ending may be as long as a window."""

_KINDS: Final = (_START, _STOP, _READING)
_STARTS, _STOPS, _READS = range(len(_KINDS))

_Event = tuple[float, int, float]
"""Time, place in `_KINDS`, and power in watt."""


@dataclass(slots=True, eq=False)
class _Events:
    """What a file says of the measurement, in the order of the file, in 17 bytes an event."""

    times: "array[float]" = field(default_factory=lambda: array("d"))
    kinds: "array[int]" = field(default_factory=lambda: array("b"))
    watts: "array[float]" = field(default_factory=lambda: array("d"))

    def add(self, time_ms: float, key: str, watts: float | None) -> None:
        """Keep an event; a reading without a number is none."""
        if key == _READING and watts is None:
            return
        self.times.append(time_ms)
        self.kinds.append(_KINDS.index(key))
        self.watts.append(watts or 0.0)

    def in_file_order(self) -> Iterator[_Event]:
        """Return the events as they stand in the file."""
        return zip(self.times, self.kinds, self.watts, strict=True)

    def in_order(self) -> Iterator[_Event]:
        """Return the events by their stamps, those of one stamp as in the file."""
        times, kinds, watts = self.times, self.kinds, self.watts
        if all(map(ge, times[1:], times)):
            return self.in_file_order()
        places = sorted(range(len(times)), key=times.__getitem__)
        return ((times[place], kinds[place], watts[place]) for place in places)

    def stops(self) -> Iterator[float]:
        """Yield the stamps of all stops."""
        return (time for time, kind, _ in self.in_file_order() if kind == _STOPS)


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerFile:
    """What one power file says."""

    place: FilePlace
    is_switch: bool
    start_ms: float | None
    end_ms: float | None
    """Where the measurement ends."""
    stop_repeats_start: bool
    """Whether the logged stop is not later than the start."""
    watt_ms: float
    """Sum of readings times the time since the stamp before."""
    conversion_efficiency: float
    switch_w: float | None
    readings: int
    damage_count: int


def read_power(pieces: Iterable[bytes], place: FilePlace, *, round_name: str) -> PowerFile:
    """Return the facts of one power file."""
    reader = RecordReader(wanted=_WANTED, latest_ms=LATEST_MS)
    events, facts = _events(pieces, reader)
    if round_name in FILE_ORDER_ROUNDS:
        measured = _in_file_order(events.in_file_order())
    else:
        measured = _in_window(events.in_order())
    latest_stop = max(events.stops(), default=None)
    return PowerFile(
        place=place,
        is_switch=place.path.rpartition("/")[2].startswith(SWITCH_PREFIX),
        start_ms=measured.start_ms,
        end_ms=measured.end_ms,
        stop_repeats_start=measured.start_ms is not None
        and latest_stop is not None
        and latest_stop <= measured.start_ms,
        watt_ms=measured.watt_ms,
        conversion_efficiency=facts.get(_EFFICIENCY, 1.0),
        switch_w=facts.get(_SWITCH),
        readings=measured.readings,
        damage_count=reader.damage_count,
    )


class _Measurement(NamedTuple):
    start_ms: float | None
    end_ms: float | None
    watt_ms: float
    readings: int


def _in_file_order(events: Iterable[_Event]) -> _Measurement:
    start, previous, last, watt_ms, readings = None, 0.0, 0.0, 0.0, 0
    for time_ms, kind, amount in events:
        if kind == _READS:  # a million of these are in one round
            if start is not None:
                watt_ms += amount * (time_ms - previous)
                previous = time_ms
                readings += 1
                if time_ms > last:
                    last = time_ms
        elif kind == _STARTS:
            start = previous = time_ms
        else:
            last = max(last, time_ms)
            break
    return _Measurement(start, last or None, watt_ms, readings)


def _in_window(events: Iterable[_Event]) -> _Measurement:
    """Take the readings between start and stop; a stop not after the start ends nothing."""
    start, previous, stop, last, watt_ms, readings = None, 0.0, None, None, 0.0, 0
    for time_ms, kind, amount in events:
        if kind == _READS:
            if stop is None and start is not None:
                watt_ms += amount * (time_ms - previous)
                previous = last = time_ms
                readings += 1
        elif kind == _STARTS:
            start = previous = time_ms
        elif start is not None and time_ms > start:
            stop = time_ms
    return _Measurement(start, last if stop is None else stop, watt_ms, readings)


def _events(pieces: Iterable[bytes], reader: RecordReader) -> tuple[_Events, dict[str, float]]:
    """Return start, stop and readings in the order of the file, and the facts beside them.

    The readings of a file end with the same text (who logged them, where). Only the first
    reading with an ending is decoded as a whole.
    """
    events = _Events()
    facts: dict[str, float] = {}
    add_time, add_kind, add_watts = events.times.append, events.kinds.append, events.watts.append
    tails: set[bytes] = set()
    reading = _READING_START.match
    for window, _ in windows(pieces):
        for segment in window.split(TOKEN)[1:]:
            start = reading(segment)
            tail = b"" if start is None else segment[start.end() :]
            if start is not None and tail in tails:
                stamp, watts = start.groups()
                add_time(float(stamp))
                add_kind(_READS)
                add_watts(float(watts))
                continue
            record = _record(segment, reader)
            if record is None:
                continue
            key, time_ms, value, _ = record
            amount = number(value)
            if key not in {_SWITCH, _EFFICIENCY}:
                events.add(float(time_ms), key, amount)
            elif amount is not None and _SWITCH not in facts:  # what comes after it is not used
                facts[key] = amount
            if start is not None and _plain(tail) and len(tails) < _MOST_TAILS:
                tails.add(tail)
    return events, facts


def _plain(tail: bytes) -> bool:
    """Return whether a text behind a value is short and holds no other key that counts."""
    if len(tail) > _LONGEST_TAIL:
        return False
    others = (b"\\", b"time_ms", b'"key"', b'"value"')
    return not any(other in tail for other in others)


def _record(segment: bytes, reader: RecordReader) -> Record | None:
    """Return the record behind a token, None if it tells nothing about power."""
    end = segment.find(b"\n")
    text = segment if end < 0 else segment[:end]
    record = whole_record(text)
    if record is None:
        return next(reader.records((TOKEN + text,)), None)
    return record if record[0] in _WANTED else None
