"""Forms of tar and zip archives that writers produce and the small builders do not."""

import io
import os
import tarfile
import zipfile
from pathlib import Path

import pytest
from tests.sources.containers.builders import (
    LISTED_ONLY,
    LOG,
    TAR_CODECS,
    WANTED,
    make_folder,
    make_tar,
    make_zip,
    tar_bytes,
)

from equipoise.errors import SourceError
from equipoise.sources.base import BatchedSource
from equipoise.sources.containers import open_source
from equipoise.sources.containers.intake import Kind
from equipoise.sources.containers.tarwalk import TarError, TarWalk

NAME = "A/results/s/bert/result_0.txt"
EXPECTED = {**WANTED, **dict.fromkeys(LISTED_ONLY)}


def with_checksum(block: bytes, *, signed: bool = False) -> bytes:
    blank = block[:148] + b" " * 8 + block[156:]
    total = sum(byte - 256 if signed and byte > 127 else byte for byte in blank)
    return block[:148] + b"%06o\0 " % total + block[156:]


def header(name: bytes, size: bytes, flag: bytes = b"0", magic: bytes = b"ustar\00000") -> bytes:
    block = bytearray(512)
    block[: len(name)] = name
    block[124 : 124 + len(size)] = size
    block[156:157] = flag
    block[257 : 257 + len(magic)] = magic
    return with_checksum(bytes(block))


def pax(**records: str) -> bytes:
    content = b""
    for key, value in records.items():
        body = f" {key.replace('_', '.')}={value}\n".encode()
        length = len(body) + 2
        content += b"%d" % length + body if length > 9 else b""
    padded = content + bytes(-len(content) % 512)
    return header(b"pax", b"%011o\0" % len(content), b"x") + padded


def walked(raw: bytes) -> list[tuple[str, Kind, bytes]]:
    walk = TarWalk(iter([raw[at : at + 700] for at in range(0, len(raw), 700)]))
    return [(member.name, member.kind, walk.data()) for member in walk.members()]


END = bytes(1024)


def test_binary_size_old_header_and_signed_checksum() -> None:
    data = b"hello" + bytes(507)
    binary = header(b"a", b"\x80" + (5).to_bytes(11, "big")) + data
    old = header(b"b", b"5", b"\0", b"") + data
    signed = with_checksum(header("ü".encode(), b"5"), signed=True) + data
    assert walked(binary + old + signed + END) == [
        (name, Kind.FILE, b"hello") for name in ("a", "b", "ü")
    ]


def test_extended_headers() -> None:
    data = b"hello" + bytes(507)
    raw = pax(path="long/name", size="0000000005") + header(b"short", b"0") + data
    assert walked(raw + END) == [("long/name", Kind.FILE, b"hello")]
    sparse = pax(GNU_sparse_major="1") + header(b"holes", b"5") + data
    assert walked(sparse + END) == [("holes", Kind.DEVICE, b"hello")]
    everywhere = header(b"g", b"%011o\0" % 16, b"g") + b"16 comment=abcd\n" + bytes(496)
    assert walked(everywhere + header(b"a", b"5") + data + END)[0][0] == "a"


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"x" * 512, "no tar archive"),
        (header(b"a", b"5")[:100], "middle of a header"),
        (header(b"a", b"5") + b"hel", "before the end of a file"),
        (header(b"a", b"\xff" * 12) + bytes(512), "negative size"),
        (header(b"a", b"9z") + bytes(512), "negative size"),
        (header(b"a", b"0") + b"y" * 512, "a header is damaged"),
        (header(b"L", b"77777777777", b"L") + bytes(512), "a header of"),
        (header(b"x", b"5", b"x") + b"3 abc" + bytes(507), "extended header is damaged"),
    ],
)
def test_broken_headers(raw: bytes, reason: str) -> None:
    with pytest.raises(TarError, match=reason):
        walked(raw)


def test_folders_are_passed_over_and_end_is_noticed() -> None:
    raw = header(b"d/", b"0", b"5") + header(b"old/", b"0", b"0") + header(b"a", b"0")
    walk = TarWalk(iter([raw]))
    assert [member.name for member in walk.members()] == ["a"]
    assert not walk.complete


@pytest.mark.parametrize("kind", sorted(TAR_CODECS))
def test_batches_of_a_tar(tmp_path: Path, kind: str) -> None:
    source = open_source(make_tar(tmp_path / f"v4.1.{kind}"))
    assert isinstance(source, BatchedSource)
    for size in (1, 1000, 10**9):
        files = [file for batch in source.batches(target_bytes=size) for file in batch.files()]
        assert {file.path: file.data for file in files} == EXPECTED
        assert len(files) == len(EXPECTED)


def test_several_compressed_members_after_each_other(tmp_path: Path) -> None:
    raw = tar_bytes()
    half = len(raw) // 2
    for kind, compress in TAR_CODECS.items():
        if kind == "tar":
            continue
        path = tmp_path / f"v4.1.{kind}"
        path.write_bytes(compress(raw[:half]) + compress(raw[half:]))
        found = {file.path: file.data for file in open_source(path).files()}
        assert found == EXPECTED, kind


def test_zip64(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 3)
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 400)
    path = make_zip(tmp_path / "v4.1.zip")
    assert b"PK\6\6" in path.read_bytes()
    assert {file.path: file.data for file in open_source(path).files()} == EXPECTED
    path.write_bytes(b"PK\3\4 something before" + path.read_bytes())
    assert {file.path: file.data for file in open_source(path).files()} == EXPECTED


def test_zip64_that_points_far_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 3)
    path = make_zip(tmp_path / "v4.1.zip")
    raw = bytearray(path.read_bytes())
    at = raw.rindex(b"PK\6\6")
    for field in (at + 48, at + 56 + 8):
        changed = bytearray(raw)
        changed[field : field + 8] = b"\xff" * 8
        path.write_bytes(bytes(changed))
        try:
            found = {file.path: file.data for file in open_source(path).files()}
        except SourceError:
            continue
        assert found == EXPECTED


def test_zip_after_other_bytes_and_with_a_comment(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "v4.1.zip")
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = b"PK\3\4 a comment"
    inner = path.read_bytes()
    assert {file.path: file.data for file in open_source(path).files()} == EXPECTED
    path.write_bytes(b"PK\3\4 something before" + inner)
    assert {file.path: file.data for file in open_source(path).files()} == EXPECTED


def test_names_of_a_zip(tmp_path: Path) -> None:
    names = {"A\\results\\s\\bert\\result_1.txt": "A/results/s/bert/result_1.txt"}
    names["A/results/s/bert/result_é.txt"] = "A/results/s/bert/result_é.txt"
    path = tmp_path / "v4.1.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name in names:
            info = zipfile.ZipInfo("x")
            info.filename = name
            archive.writestr(info, LOG)
        old = zipfile.ZipInfo("A/results/s/bert/result_Q.txt")
        archive.writestr(old, LOG)
    raw = path.read_bytes().replace(b"result_Q", b"result_\x82")
    path.write_bytes(raw)
    assert {file.path for file in open_source(path).files()} == {
        *names.values(),
        "A/results/s/bert/result_\u00e9.txt",
    }


def test_folder_that_cannot_be_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make_folder(tmp_path / "v4.1")
    real = os.scandir

    def refuse(path: str) -> object:
        if str(path).endswith("node-b/ssd"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr("os.scandir", refuse)
    found = [file for file in open_source(root).files() if file.problem]
    assert [(file.path, file.problem_code) for file in found] == [
        ("Beta/results/node-b/ssd", "unreadable")
    ]
    monkeypatch.setattr("os.scandir", lambda path: refuse("node-b/ssd"))
    with pytest.raises(SourceError, match="cannot be listed: Permission denied"):
        open_source(root)


def test_large_file_that_breaks_off_is_a_source_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("equipoise.sources.containers.tar.WHOLE_FILE_BYTES", 1000)
    path = tmp_path / "v4.1.tar"
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        info = tarfile.TarInfo(NAME)
        info.size = 5000
        archive.addfile(info, io.BytesIO(bytes(5000)))
    path.write_bytes(out.getvalue()[:3000])
    with pytest.raises(SourceError, match="breaks off in the middle of a file"):
        [b"".join(file.pieces()) for file in open_source(path).files()]
