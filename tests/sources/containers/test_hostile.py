"""Archives and folders that someone made to do harm, or that arrived broken."""

import bz2
import gzip
import io
import lzma
import os
import struct
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.sources.containers.builders import (
    LOG,
    ROUND,
    TAR_CODECS,
    make_folder,
    make_git,
    make_tar,
    make_zip,
    tar_bytes,
)

from equipoise.errors import SourceError
from equipoise.sources.base import SourceFile
from equipoise.sources.containers import Limits, open_source
from equipoise.sources.containers import limits as limits_module

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PATH = "A/results/s/bert/result_{}.txt"
ONE = {PATH.format(0): LOG}


def member(name: str, kind: bytes, target: str = "", size: int = 0) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, target, size
    return info


def read(path: Path, **limits: float) -> list[SourceFile]:
    source = open_source(path, limits=Limits(**limits))  # type: ignore[arg-type]
    return list(source.files())


def outcome(path: Path, **limits: float) -> tuple[SourceError | None, list[SourceFile]]:
    """Return the error, if there is one; any other exception is a failure of the test."""
    try:
        return None, read(path, **limits)
    except SourceError as error:
        return error, []


def codes(files: list[SourceFile]) -> dict[str, str]:
    return {file.path: file.problem_code for file in files if file.problem is not None}


def test_entries_of_a_tar_that_lead_out_or_are_no_files(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    path = tmp_path / "v4.1.tar"
    path.write_bytes(
        tar_bytes(
            ONE,
            top="",
            members=(
                member("/etc/A/results/s/bert/result_1.txt", tarfile.REGTYPE),
                member("../A/results/s/bert/result_2.txt", tarfile.REGTYPE),
                member(PATH.format(3), tarfile.SYMTYPE, str(secret)),
                member(PATH.format(4), tarfile.LNKTYPE, str(secret)),
                member(PATH.format(5), tarfile.CHRTYPE),
                member(PATH.format(6), tarfile.FIFOTYPE),
                member("A/systems/t.json", tarfile.SYMTYPE, "s.json"),
                member("B/results", tarfile.SYMTYPE, "/etc"),
            ),
        )
    )
    files = read(path)
    assert codes(files) == {
        "/etc/A/results/s/bert/result_1.txt": "unsafe-path",
        "../A/results/s/bert/result_2.txt": "unsafe-path",
        PATH.format(3): "link",
        PATH.format(4): "link",
        PATH.format(5): "not-a-file",
        PATH.format(6): "not-a-file",
        "B/results": "link",
    }
    data = {file.path: file.data for file in files if file.data is not None}
    assert data == {**ONE, "A/systems/t.json": b"s.json"}
    assert any("secret.txt" in (file.problem or "") for file in files)


def test_entries_of_a_zip_that_lead_out_or_are_no_files(tmp_path: Path) -> None:
    path = tmp_path / "v4.1.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(PATH.format(0), LOG)
        archive.writestr("/" + PATH.format(1), LOG)
        archive.writestr("../" + PATH.format(2), LOG)
        for name, mode, content in (
            (PATH.format(3), 0o120777, "/etc/passwd"),
            (PATH.format(4), 0o010644, ""),
            ("A/systems/t.json", 0o120777, "s.json"),
        ):
            info = zipfile.ZipInfo(name)
            info.create_system, info.external_attr = 3, mode << 16
            archive.writestr(info, content)
    files = read(path)
    assert codes(files) == {
        "/" + PATH.format(1): "unsafe-path",
        "../" + PATH.format(2): "unsafe-path",
        PATH.format(3): "link",
        PATH.format(4): "not-a-file",
    }
    assert {f.path: f.data for f in files if f.data} == {**ONE, "A/systems/t.json": b"s.json"}


def test_links_and_pipes_of_a_folder_are_not_followed(tmp_path: Path) -> None:
    outside = make_folder(tmp_path / "outside", {"secret.txt": b"secret", **ONE})
    root = make_folder(tmp_path / "v4.1", ONE)
    folder = root / "A/results/s/bert"
    (folder / "result_1.txt").symlink_to(outside / "secret.txt")
    (folder / "result_2.txt").symlink_to("nowhere")
    os.mkfifo(folder / "result_3.txt")
    (root / "B").mkdir()
    (root / "B" / "results").symlink_to(outside / "A" / "results")
    (root / "A/systems").mkdir()
    (root / "A/systems/t.json").symlink_to("s.json")
    files = read(root)
    assert codes(files) == {
        PATH.format(1): "link",
        PATH.format(2): "link",
        PATH.format(3): "not-a-file",
        "B/results": "link",
    }
    assert {f.path: f.data for f in files if f.data} == {**ONE, "A/systems/t.json": b"s.json"}


def test_nothing_is_written_and_a_link_to_the_folder_itself_is_fine(tmp_path: Path) -> None:
    root = make_folder(tmp_path / "v4.1")
    (tmp_path / "link").symlink_to(root)
    before = {path: path.lstat() for path in tmp_path.rglob("*")}
    read(tmp_path / "link")
    after = {path: path.lstat() for path in tmp_path.rglob("*")}
    assert {p: (s.st_size, s.st_mtime_ns) for p, s in before.items()} == {
        p: (s.st_size, s.st_mtime_ns) for p, s in after.items()
    }


def test_file_that_vanishes_or_may_not_be_read(tmp_path: Path) -> None:
    root = make_folder(tmp_path / "v4.1", {**ONE, PATH.format(1): LOG})
    source = open_source(root)
    batches = list(source.batches(target_bytes=10**9))  # type: ignore[attr-defined]
    (root / PATH.format(1)).unlink()
    files = [file for batch in batches for file in batch.files()]
    assert codes(files) == {PATH.format(1): "unreadable"}


BOMBS: dict[str, Callable[[bytes], bytes]] = {
    "tar.gz": gzip.compress,
    "tar.xz": lzma.compress,
    "tar.bz2": bz2.compress,
    "tar.zst": zstd.compress,
}


@pytest.mark.parametrize("kind", sorted(BOMBS))
def test_bomb_stops_at_the_ratio_and_at_the_total(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"v4.1.{kind}"
    zeros = {PATH.format(number): bytes(20_000_000) for number in range(5)}
    path.write_bytes(BOMBS[kind](tar_bytes({**ONE, **zeros}, top="")))
    with pytest.raises(SourceError, match="unpacks to more than 50 times its size") as caught:
        read(path, max_ratio=50.0)
    assert "raise the limit max_ratio" in str(caught.value)
    with pytest.raises(SourceError, match=r"holds more than 30,000,000 bytes; \d files"):
        read(path, max_total_bytes=30_000_000, max_ratio=1e9)


def test_zip_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make_zip(tmp_path / "v4.1.zip", {**ONE, PATH.format(1): bytes(20_000_000)})
    for module in ("limits", "zip"):
        name = f"equipoise.sources.containers.{module}.RATIO_FLOOR_BYTES"
        monkeypatch.setattr(name, 1_000_000)
    assert limits_module.RATIO_FLOOR_BYTES == 1_000_000
    with pytest.raises(SourceError, match="unpacks to more than"):
        read(path)
    with pytest.raises(SourceError, match="max_total_bytes"):
        read(path, max_total_bytes=1_000_000)


def test_limits_of_single_files(tmp_path: Path) -> None:
    deep = "A/results/" + "/".join("d" * 30) + "/result_0.txt"
    long = "A/results/s/" + "/".join(["n" * 200] * 5) + "/result_0.txt"
    files = {**ONE, PATH.format(1): LOG * 100, deep: LOG, long: LOG}
    for path in (
        make_folder(tmp_path / "v4.1", files),
        make_tar(tmp_path / "v4.1.tar", files, top=""),
        make_zip(tmp_path / "v4.1.zip", files, top=""),
        make_git(tmp_path / "git", files),
    ):
        found = read(path, max_file_bytes=1000, max_path_depth=20, max_path_bytes=500)
        assert codes(found) == dict.fromkeys([PATH.format(1), deep, long], "over-limit")
        with pytest.raises(SourceError, match="holds more than 2 entries"):
            read(path, max_files=2)
        with pytest.raises(SourceError, match="max_total_bytes"):
            read(path, max_total_bytes=2000)


def test_zstd_window_over_the_limit(tmp_path: Path) -> None:
    parameter = zstd.CompressionParameter
    compressor = zstd.ZstdCompressor(
        options={parameter.window_log: 27, parameter.compression_level: 1}
    )
    path = tmp_path / "v4.1.tar.zst"
    # in two steps, so that the frame does not know its size and asks for the whole window
    data = compressor.compress(tar_bytes(ONE, top="")) + compressor.flush()
    path.write_bytes(data)
    assert [file.data for file in read(path)] == [LOG]
    assert [file.data for file in read(path, max_window_bytes=2**31)] == [LOG]
    with pytest.raises(SourceError, match="raise the limit max_window_bytes"):
        read(path, max_window_bytes=2**27 - 1)
    options = {parameter.window_log: 30, parameter.enable_long_distance_matching: 1}
    compressor = zstd.ZstdCompressor(options=options)
    path.write_bytes(compressor.compress(tar_bytes(ONE, top="")) + compressor.flush())
    with pytest.raises(SourceError, match="more memory than 536,870,912 bytes"):
        read(path)
    assert [file.data for file in read(path, max_window_bytes=2**31)] == [LOG]


def test_zstd_frames_that_hold_nothing(tmp_path: Path) -> None:
    path = tmp_path / "v4.1.tar.zst"
    remark = b"\x50\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"hello"
    raw = tar_bytes(ONE, top="")
    path.write_bytes(remark + zstd.compress(raw[:700]) + remark + zstd.compress(raw[700:]) + remark)
    assert [file.data for file in read(path)] == [LOG]


@pytest.mark.parametrize("kind", sorted(TAR_CODECS))
@pytest.mark.parametrize("share", [0.001, 0.2, 0.5, 0.9, 0.99])
def test_cut_off_tar_names_itself_and_what_was_read(
    tmp_path: Path, kind: str, share: float
) -> None:
    whole = make_tar(tmp_path / f"whole.{kind}", top="").read_bytes()
    noisy = {**ROUND, "Z/results/z/bert/result_0.txt": os.urandom(200_000)}
    whole = make_tar(tmp_path / f"whole.{kind}", noisy, top="").read_bytes()
    path = tmp_path / f"v4.1.{kind}"
    path.write_bytes(whole[: max(1, int(len(whole) * share))])
    error, found = outcome(path)
    if error is None:
        assert "archive-cut-off" in codes(found).values()
    else:
        assert error.path == str(path)
        assert any(word in str(error) for word in ("cut off", "archive", "no MLPerf results"))


@pytest.mark.parametrize("cut", [1, 21, 22, 100, 5000])
def test_cut_off_zip(tmp_path: Path, cut: int) -> None:
    path = make_zip(tmp_path / "v4.1.zip")
    path.write_bytes(path.read_bytes()[:-cut])
    with pytest.raises(SourceError, match="damaged or cut off"):
        read(path)


def test_member_of_a_zip_that_cannot_be_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "v4.1.zip"
    stored = {PATH.format(number): LOG for number in range(1, 5)}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, data in {**ONE, **stored}.items():
            archive.writestr(name, data)
    raw = bytearray(path.read_bytes())
    directory = [at for at in range(len(raw)) if raw.startswith(b"PK\1\2", at)]
    locals_ = [at for at in range(len(raw)) if raw.startswith(b"PK\3\4", at)]
    raw[directory[1] + 8] |= 1  # encrypted
    raw[directory[2] + 10] = 99  # an unknown method
    raw[locals_[3] + 60] ^= 0xFF  # damaged content
    struct.pack_into("<L", raw, directory[4] + 42, 7)  # points into another header
    path.write_bytes(bytes(raw))
    files = read(path)
    assert [file.path for file in files if file.data == LOG] == [PATH.format(0)]
    problems = {file.path: file.problem for file in files if file.problem}
    assert "encrypted" in (problems[PATH.format(1)] or "")
    assert "method 99" in (problems[PATH.format(2)] or "")
    assert "checksum" in (problems[PATH.format(3)] or "")
    assert "header is damaged" in (problems[PATH.format(4)] or "")


def test_zip_whose_entry_is_longer_than_stated(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "v4.1.zip", {PATH.format(0): LOG, PATH.format(1): LOG * 900})
    raw = bytearray(path.read_bytes())
    entry = raw.rindex(b"PK\1\2")
    struct.pack_into("<L", raw, entry + 24, 100)
    path.write_bytes(bytes(raw))
    assert codes(read(path)) == {PATH.format(1): "damaged"}


@pytest.mark.parametrize(
    "content",
    [
        b"\x1f\x8b" + b"x" * 50,
        b"BZh9" + b"x" * 50,
        b"\xfd7zXZ\0" + b"x" * 50,
        b"PK\3\4" + b"x" * 9,
        b"\x28\xb5\x2f\xfd" + b"x" * 50,
        gzip.compress(b"not a tar archive" * 100, mtime=0),
    ],
    ids=["gzip", "bzip2", "xz", "zip", "zstd", "gzip of text"],
)
def test_things_that_are_no_archives(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "v4.1.tar.gz"
    path.write_bytes(content)
    with pytest.raises(SourceError) as caught:
        read(path)
    assert caught.value.path == str(path)


ODD_NAMES = [
    "a\nb",
    "\x1b[31mred",
    'quo"te',
    "ta\tb",
    "ünï",
    "sp ace",
    "caf\udce9",
    "-rf",
    "back\\s",
]


def test_odd_names_survive(tmp_path: Path) -> None:
    files = {f"{name}/results/{name}/bert/result_0.txt": LOG for name in ODD_NAMES}
    root = tmp_path / "v4.1"
    for name, data in files.items():
        target = root / name
        target.parent.mkdir(parents=True)
        target.write_bytes(data)
    for path in (
        root,
        make_tar(tmp_path / "v4.1.tar.gz", files),
        make_git(tmp_path / "git", files),
    ):
        assert {file.path: file.data for file in read(path)} == files
    plain = {name: data for name, data in files.items() if "\udce9" not in name}
    assert {f.path: f.data for f in read(make_zip(tmp_path / "v4.1.zip", plain))} == plain


def test_messages_show_control_characters_escaped(tmp_path: Path) -> None:
    path = tmp_path / "v4.1.tar"
    odd = {"a\x1b[31m\n/results/s/bert/result_0.txt": LOG, PATH.format(1): LOG}
    path.write_bytes(tar_bytes(odd, top="")[:-11_000])
    with pytest.raises(SourceError) as caught:
        read(tmp_path / "v4.1.tar", max_files=1)
    assert "\x1b" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_many_tiny_files_take_flat_memory(tmp_path: Path) -> None:
    import tracemalloc

    count = 20_000
    files = {f"A/results/s{n % 50}/bert/result_{n}.txt": b"" for n in range(count)}
    path = make_tar(tmp_path / "v4.1.tar.gz", files, top="")
    source = open_source(path)
    tracemalloc.start()
    try:
        assert sum(1 for _ in source.files()) == count
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 40_000_000


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    kind=st.sampled_from(["tar", "tar.gz", "tar.zst", "tar.xz", "tar.bz2", "zip"]),
    changes=st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), max_size=8),
    keep=st.floats(0, 1),
)
def test_damage_is_a_source_error_or_a_problem_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory,
    kind: str,
    changes: list[tuple[int, int]],
    keep: float,
) -> None:
    folder = tmp_path_factory.getbasetemp() / "damage"
    folder.mkdir(exist_ok=True)
    path = folder / f"v4.1.{kind}"
    small = {name: data[:2000] for name, data in ROUND.items()}
    if kind == "zip":
        make_zip(path, small)
    else:
        make_tar(path, small)
    raw = bytearray(path.read_bytes())
    for position, value in changes:
        raw[position % len(raw)] = value
    path.write_bytes(bytes(raw[: max(1, int(len(raw) * keep))]))
    error, found = outcome(path, max_total_bytes=10**7)
    assert error is None or error.path is not None
    assert all(file.data is None or file.problem is None for file in found)


def test_a_path_that_an_archive_holds_twice_counts_once(tmp_path: Path) -> None:
    path = tmp_path / "v4.1.tar"
    with tarfile.open(path, "w") as archive:
        for data in (LOG, LOG + b"\n"):
            info = member(f"v4.1/./{PATH.format(0)}", tarfile.REGTYPE, size=len(data))
            archive.addfile(info, io.BytesIO(data))
    files = read(path)
    assert [file.data for file in files] == [LOG, None]
    assert codes(files) == {PATH.format(0): "twice"}
