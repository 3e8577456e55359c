"""Find and decode the records of a training log, without splitting it into lines.

Three notations exist: `:::MLLOG {json}` (v0.7 and later), `:::MLL <seconds> key: {json}`
(v0.6) and `:::MLPv0.5.0 benchmark <seconds> (file:line) key: value` (v0.5). Most bytes of
a log are not records, and most records repeat a statistic per step. So a log is cut at its
tokens, the head of each piece is looked up, and only what may matter is decoded.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from itertools import count
from typing import Any, Final, NamedTuple, TypeAlias

import orjson

from equipoise.sources.lines import Lines, lines_before
from equipoise.structs import dataclass
from equipoise.units import BYTES_PER_MIB, MS_PER_S

WINDOW_BYTES: Final = 4 * BYTES_PER_MIB
"""A log is read in windows of this size; a longer record is not decoded."""

MAX_DAMAGES: Final = 20
"""Damaged records kept by place; more are only counted."""

TOKEN: Final = b":::ML"
"""Every record of every notation begins with it."""

SKIPPED_KEYS: Final = (
    "weights_initialization",
    "status",
    "current_lr",
    "cache_clear",
    "train_loss",
    "epoch_start",
    "epoch_stop",
    "block_start",
    "block_stop",
    "eval_start",
    "eval_stop",
    "resign_threshold",
    "actual_selfplay_games_per_generation",
    "num_games",
    "dummy",
    "save_model",
)
"""Keys that repeat by the thousand and say nothing that is used."""

SKIPPED_STATISTICS: Final = ("train_loss", "validation_", "walltime", "lr")
"""A `tracked_stats` record is skipped if its value begins with one of these names."""

FEW_OF_KEYS: Final = ("init_start", "seed")
"""Every rank logs them; of the first ones the earliest start and the first seed count."""

SAMPLED_IN_A_ROW: Final = 32
SAMPLED_STRIDE: Final = 16
"""Of a key that is only sampled the first 32 records are decoded and then every 16th."""

_CUT: Final = "record does not parse (cut line or control character)"
_MLL: Final = re.compile(rb"([\d.]+)\s+(\w+)\s*(?::\s*(.*))?$", re.DOTALL)
_MLP: Final = re.compile(
    rb"v[\d.]+\s+(\S+)\s+([\d.]+)\s+\(([^)\n]*)\)\s*(\w+)\s*(?::\s*(.*))?$", re.DOTALL
)
_KEY_TEXT: Final = re.compile(rb'"key"\s*:\s*"([^"\\\r\n]{1,80})"|^L [\d.]+ (\w+)|\) (\w+)')
_BARE_KEY: Final = re.compile(r"([{,]\s*)([A-Za-z_]\w*)\s*:")
_BARE_VALUE: Final = re.compile(r":\s*(?!null\b|true\b|false\b)([A-Za-z_]\w*)(?=\s*[,}])")
_TOLERANT: Final = json.JSONDecoder(strict=False)

Record: TypeAlias = tuple[str, float, Any, dict[str, Any]]
"""Key, time in milliseconds, value and metadata of one decoded record."""


class Damage(NamedTuple):
    """A record that does not parse."""

    line: int
    key: str | None
    """What its text shows as key, if anything."""
    reason: str
    lost: bool
    """False if the record could be read all the same."""


_PLAIN, _SKIP, _STATISTIC, _THROUGHPUT, _FIRST = range(5)
_HEAD: Final = slice(46, 97)
"""`, "event_type": "POINT_IN_TIME", "key": "tracked_st`: where all loggers write it."""
_NAME: Final = slice(112, 121)
"""Beginning of the first name in the value of a `tracked_stats` record: `{"train_l`."""
_SKIPPED_NAMES: Final = frozenset(
    f'{{"{name}": '.encode()[: _NAME.stop - _NAME.start] for name in SKIPPED_STATISTICS
)
"""What stands there when the record is skipped."""


_KINDS: Final = {
    **{key.encode(): _SKIP for key in SKIPPED_KEYS},
    b"tracked_stats": _STATISTIC,
    b"throughput": _THROUGHPUT,
    **{key.encode(): _FIRST + index for index, key in enumerate(FEW_OF_KEYS)},
}
_HEADS: Final = {
    (b', "event_type": "%b", "key": "%b", "value": ' % (event, key))[
        : _HEAD.stop - _HEAD.start
    ]: kind
    for key, kind in _KINDS.items()
    for event in (b"POINT_IN_TIME", b"INTERVAL_START", b"INTERVAL_END")
}


@dataclass(slots=True)
class RecordReader:
    """Reads the records of one log; afterwards `damages` says what did not parse."""

    wanted: frozenset[str]
    """Keys whose records are handed out; the others are only checked."""
    latest_ms: float
    """Later time stamps are impossible and counted in `odd_times`."""
    damages: list[Damage] = field(default_factory=list)
    damage_count: int = 0
    intact: set[str] = field(default_factory=set)
    """Keys of which a whole record was decoded."""
    odd_times: int = 0
    first_odd_time: tuple[int, float] | None = None
    """Line and time in milliseconds of the first record with an impossible time."""
    bytes_read: int = 0
    notation: str | None = None
    """mllog, mll or v0.5: of the first record that was decoded."""
    _segments: list[bytes] = field(default_factory=list)
    _index: int = 0
    _lines_before: int = 0
    _marks: dict[str, int] = field(default_factory=dict)
    _counted: dict[str, int] = field(default_factory=dict)
    _counts: list[Callable[[], int]] = field(
        default_factory=lambda: [count(1).__next__ for _ in range(_FIRST + len(FEW_OF_KEYS))]
    )

    def records(self, pieces: Iterable[bytes]) -> Iterator[Record]:
        """Yield the records of the wanted keys; memory is bounded by piece and window."""
        for window, last in windows(pieces):
            self.bytes_read += len(window)
            self._segments = window.split(TOKEN)
            yield from self._scan()
            if not last:
                self._counted = self.lines().settled().counted
                self._marks = {}
                self._lines_before += window.count(b"\n")

    def line(self) -> int:
        """Return the line number of the record that was handed out last."""
        return self._lines_before + lines_before(self._segments, self._index) + 1

    def mark(self, name: str) -> None:
        """Keep the place of the record that was handed out last, for `lines`."""
        self._marks[name] = self._index

    def lines(self) -> Lines:
        """Return the lines of the marked records."""
        return Lines(self._counted, self._marks, self._segments, self._lines_before)

    def _scan(self) -> Iterator[Record]:
        """Yield the wanted records of the window; this loop is where the time goes."""
        wanted, intact, loads = self.wanted, self.intact, orjson.loads
        latest = self.latest_ms
        for index, segment in self._candidates():
            self._index = index
            record: Record | None = None
            try:
                found = loads(segment[4 : segment.find(b"\n")])
                key, time_ms, metadata = found["key"], found["time_ms"], found["metadata"]
                if type(time_ms) is int and type(key) is str and type(metadata) is dict:
                    record = key, time_ms, found.get("value"), metadata
                    self.notation = "mllog"
            except (ValueError, KeyError, TypeError):
                pass
            if record is None:
                record = self._tolerant(segment)
                if record is None:
                    continue
                key, time_ms = record[:2]
            intact.add(key)
            if time_ms >= latest:
                self.odd_times += 1
                self.first_odd_time = self.first_odd_time or (self.line(), time_ms)
            if key in wanted:
                yield record

    def _candidates(self) -> list[tuple[int, bytes]]:
        """Return the pieces of the window that are to be decoded, by looking at their heads.

        Written as one expression because it runs over every record of a log.
        """
        heads, counts = _HEADS.get, self._counts
        found = [
            (index, segment)
            for index, segment in enumerate(self._segments)
            if not (kind := heads(segment[_HEAD], _PLAIN))
            or (
                kind != _SKIP
                and not (kind == _STATISTIC and segment[_NAME] in _SKIPPED_NAMES)
                and (
                    (seen := counts[kind]()) <= SAMPLED_IN_A_ROW
                    or not (kind >= _FIRST or seen % SAMPLED_STRIDE)
                )
            )
        ]
        return found[1:] if found and found[0][0] == 0 else found

    def _tolerant(self, segment: bytes) -> Record | None:
        """Decode one record with every tolerance and note what is damaged."""
        line, newline, rest = segment.partition(b"\n")
        try:
            return self._parse(line)
        except _UnreadableError as problem:
            reason = str(problem)
        if newline:
            second = rest.partition(b"\n")[0]
            try:
                joined = self._parse(line.rstrip(b"\r") + second)
            except _UnreadableError:
                pass
            else:
                self._note(line, f"{reason}; read together with the next line", lost=False)
                return joined
        elif self._index == len(self._segments) - 1:
            reason = "file ends inside a record"
        self._note(line, reason, lost=True)
        return None

    def _parse(self, body: bytes) -> Record:
        for prefix, notation, parse in _NOTATIONS:
            if body.startswith(prefix):
                record = parse(body[len(prefix) :])
                self.notation = self.notation or notation
                return record
        raise _UnreadableError("unknown kind of record")

    def _note(self, body: bytes, reason: str, *, lost: bool) -> None:
        self.damage_count += 1
        if len(self.damages) < MAX_DAMAGES:
            shown = _KEY_TEXT.search(body[:2000])
            key = next((g for g in shown.groups() if g is not None), None) if shown else None
            name = None if key is None else key.decode("latin-1")
            self.damages.append(Damage(self.line(), name, reason, lost))


def whole_record(body: bytes) -> Record | None:
    """Return the record of a body `LOG {json}` that needs no tolerance, else None."""
    try:
        found = orjson.loads(body[3:])
        key, time_ms, metadata = found["key"], found["time_ms"], found["metadata"]
    except (ValueError, KeyError, TypeError):
        return None
    whole = type(time_ms) is int and type(key) is str and type(metadata) is dict
    return (key, time_ms, found.get("value"), metadata) if whole else None


def windows(pieces: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Cut pieces into windows that end with a line or before a token; mark the last."""
    carry = b""
    for piece in pieces:
        buffer = carry + piece if carry else piece
        low = 0
        while len(buffer) - low > WINDOW_BYTES:
            high = low + WINDOW_BYTES
            cut = buffer.rfind(b"\n", low, high) + 1
            if cut <= low:
                cut = buffer.rfind(TOKEN, low + 1, high)
            if cut <= low:
                cut = high - len(TOKEN)
            yield buffer[low:cut], False
            low = cut
        carry = buffer[low:]
    yield carry, True


class _UnreadableError(Exception):
    """The text after a token is no record."""


def _mllog(body: bytes) -> Record:
    record = _json(body)
    if not isinstance(record, dict) or not isinstance(record.get("key"), str):
        raise _UnreadableError("record does not parse (no key)")
    metadata = record.get("metadata")
    return (
        record["key"],
        _number(record.get("time_ms")),
        record.get("value"),
        metadata if isinstance(metadata, dict) else {},
    )


def _mll(body: bytes) -> Record:
    match = _MLL.match(body.strip())
    if match is None:
        raise _UnreadableError("record does not parse (cut line)")
    seconds, key, text = match.groups()
    content = _json(text, lenient=True) if text else None
    value, metadata = content, None
    if isinstance(content, dict) and ("value" in content or "metadata" in content):
        value, metadata = content.get("value"), content.get("metadata")
    return (
        key.decode(),
        _number(seconds.decode()) * MS_PER_S,
        value,
        metadata if isinstance(metadata, dict) else {},
    )


def _mlp(body: bytes) -> Record:
    match = _MLP.match(body.strip())
    if match is None:
        raise _UnreadableError("record does not parse (cut line)")
    benchmark, seconds, _, key, text = match.groups()
    value: Any = None
    if text:
        try:
            value = _json(text, lenient=True)
        except _UnreadableError:
            value = text.decode("utf-8", "replace")
    metadata = value if isinstance(value, dict) else {}
    metadata = {**metadata, "benchmark": benchmark.decode("utf-8", "replace")}
    if isinstance(value, dict) and "value" in value:
        value = value["value"]
    milliseconds = _number(seconds.decode()) * MS_PER_S
    return key.decode(), milliseconds, value, metadata


def _json(body: bytes, *, lenient: bool = False) -> Any:
    """Decode JSON at the start of the text; NaN, control characters and a tail are allowed."""
    try:
        return orjson.loads(body)
    except ValueError:
        pass
    text = body.decode("utf-8", "replace").lstrip(" \t\0")
    try:
        return _TOLERANT.raw_decode(text)[0]
    except (ValueError, RecursionError):
        pass
    if not lenient:
        raise _UnreadableError(_CUT)
    try:
        return _TOLERANT.raw_decode(_quoted(text))[0]
    except (ValueError, RecursionError):
        raise _UnreadableError(_CUT) from None


def _quoted(text: str) -> str:
    """Write single quotes and bare words (`{value: true, 'file': manual}`) as JSON.

    Some v0.6 loggers print a record as their language shows it.
    """
    text = _BARE_KEY.sub(r'\1"\2":', text.replace("'", '"'))
    return _BARE_VALUE.sub(r': "\1"', text)


def _number(value: Any) -> float:
    try:
        if isinstance(value, bool):
            raise ValueError
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise _UnreadableError("record does not parse (time is no number)") from None
    if not math.isfinite(number):
        raise _UnreadableError("record does not parse (time is no number)")
    return number


_NOTATIONS: Final = ((b"LOG", "mllog", _mllog), (b"L ", "mll", _mll), (b"P", "v0.5", _mlp))
