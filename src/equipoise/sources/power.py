"""Read measured power: the files `power/result_N/node_*.txt` and `sw_*.txt` of a run.

A node's energy is the sum of its readings times the time since the stamp before, made to
span the whole run; a switch counts with its estimated power. The formulas are those of
`result_summarizer` in mlperf-logging, which changed between v4.0 and v4.1.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

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

_Event = tuple[float, str, float | None]


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
    events = list(_events(pieces, reader))
    facts = [event for event in events if event[1] in {_SWITCH, _EFFICIENCY}]
    events = [event for event in events if event[1] not in {_SWITCH, _EFFICIENCY}]
    efficiency, switch = 1.0, None
    for _, key, amount in facts:
        if key == _SWITCH and switch is None:
            switch = amount
        elif key == _EFFICIENCY and amount is not None and switch is None:
            efficiency = amount
    in_file_order = round_name in FILE_ORDER_ROUNDS
    if not in_file_order:
        events.sort(key=lambda event: event[0])
    measured = _in_file_order(events) if in_file_order else _in_window(events)
    stamps = [time for time, key, _ in events if key == _STOP]
    return PowerFile(
        place=place,
        is_switch=place.path.rpartition("/")[2].startswith(SWITCH_PREFIX),
        start_ms=measured.start_ms,
        end_ms=measured.end_ms,
        stop_repeats_start=measured.start_ms is not None
        and bool(stamps)
        and max(stamps) <= measured.start_ms,
        watt_ms=measured.watt_ms,
        conversion_efficiency=efficiency,
        switch_w=switch,
        readings=measured.readings,
        damage_count=reader.damage_count,
    )


@dataclass(slots=True)
class _Measurement:
    start_ms: float | None = None
    end_ms: float | None = None
    previous_ms: float = 0.0
    watt_ms: float = 0.0
    readings: int = 0

    def start(self, time_ms: float) -> None:
        self.start_ms = self.previous_ms = time_ms

    def reading(self, time_ms: float, watts: float) -> None:
        self.watt_ms += watts * (time_ms - self.previous_ms)
        self.previous_ms = time_ms
        self.readings += 1


def _in_file_order(events: Iterable[_Event]) -> _Measurement:
    measured, last = _Measurement(), 0.0
    for time_ms, key, amount in events:
        if key == _START:
            measured.start(time_ms)
        elif key == _STOP:
            last = max(last, time_ms)
            break
        elif amount is not None and measured.start_ms is not None:
            measured.reading(time_ms, amount)
            last = max(last, time_ms)
    measured.end_ms = last or None
    return measured


def _in_window(events: Iterable[_Event]) -> _Measurement:
    """Take the readings between start and stop; a stop not after the start ends nothing."""
    measured, stop, last = _Measurement(), None, None
    for time_ms, key, amount in events:
        if key == _START:
            measured.start(time_ms)
        elif key == _STOP:
            if measured.start_ms is not None and time_ms > measured.start_ms:
                stop = time_ms
        elif stop is None and amount is not None and measured.start_ms is not None:
            measured.reading(time_ms, amount)
            last = time_ms
    measured.end_ms = last if stop is None else stop
    return measured


def _events(pieces: Iterable[bytes], reader: RecordReader) -> Iterator[_Event]:
    """Yield the records in the order of the file.

    The readings of a file end with the same text (who logged them, where). Only the first
    reading with an ending is decoded as a whole.
    """
    tails: set[bytes] = set()
    for window, _ in windows(pieces):
        for segment in window.split(TOKEN)[1:]:
            start = _READING_START.match(segment)
            tail = b"" if start is None else segment[start.end() :]
            if start is not None and tail in tails:
                yield float(start[1]), _READING, float(start[2])
                continue
            record = _record(segment, reader)
            if record is None:
                continue
            key, stamp, value, _ = record
            yield float(stamp), key, number(value)
            if start is not None and _plain(tail) and len(tails) < _MOST_TAILS:
                tails.add(tail)


def _plain(tail: bytes) -> bool:
    """Return whether a text behind a value holds no other key that counts."""
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
