"""The server as a process: starts, computes beside itself, bounds time, stops cleanly."""

import http.client
import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

PATIENCE = "import equipoise.web.server as s; s.REQUEST_S = 0.3; "


WAIT_S = 60.0


@pytest.fixture(scope="module")
def port(small_catalogue: Path, serving: Any) -> Iterator[int]:
    code = PATIENCE + serving.start
    process, number = serving.started(small_catalogue, "--workers", "1", code=code)
    yield number
    assert serving.stopped(process)[0] == 0


def ask(port: int, path: str, **headers: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT_S)
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    found = response.status, response.read()
    connection.close()
    return found


def test_a_worker_process_answers(port: int) -> None:
    status, content = ask(port, "/api/v1/rank?benchmark=bert&resamples=5&limit=1")
    assert status == 200
    assert len(json.loads(content)["ranking"]) == 1
    assert ask(port, "/")[0] == 200


def test_only_its_own_names_are_served(port: int) -> None:
    assert ask(port, "/", Host="evil.example")[0] == 421
    assert ask(port, "/", Host=f"localhost:{port}")[0] == 200


def test_a_request_that_never_ends_is_dropped(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=WAIT_S) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
        assert client.recv(100) == b""


def test_a_request_with_too_long_a_header_is_refused(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=WAIT_S) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: " + b"x" * 100_000)
        assert b"400" in client.recv(200).partition(b"\r\n")[0]


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_it_stops_cleanly_with_its_workers(small_catalogue: Path, serving: Any, by: int) -> None:
    process, port = serving.started(small_catalogue, "--workers", "2")
    assert ask(port, "/methods")[0] == 200
    children = _children(process.pid)
    code, said = serving.stopped(process, by)
    assert (code, said) == (0, "")
    deadline = time.monotonic() + WAIT_S
    while any(_alive(child) for child in children) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(_alive(child) for child in children)


def test_it_stops_at_once_while_something_is_computed(small_catalogue: Path, serving: Any) -> None:
    process, port = serving.started(small_catalogue, "--workers", "1")
    assert ask(port, "/methods")[0] == 200
    with socket.create_connection(("127.0.0.1", port), timeout=WAIT_S) as client:
        long = "/api/v1/study?benchmark=bert&resamples=5000"
        client.sendall(f"GET {long} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        assert b" 503 " in client.recv(100)
    _, said = process.communicate(timeout=WAIT_S)
    assert (process.returncode, said) == (0, "")


def test_other_addresses_get_a_warning(small_catalogue: Path, serving: Any) -> None:
    arguments = ["--catalogue", str(small_catalogue), "serve", "--port", "0", "--no-warm"]
    process = subprocess.Popen(
        [sys.executable, "-c", serving.start, *arguments, "--host", "0.0.0.0"],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    first = process.stderr.readline()
    assert "warning: 0.0.0.0 can be reached from other machines" in first
    assert "--allow-host" in first
    assert "127.0.0.1" in process.stderr.readline()
    assert serving.stopped(process)[0] == 0


def test_without_a_catalogue_it_says_so(tmp_path: Path, serving: Any) -> None:
    found = subprocess.run(
        [sys.executable, "-c", serving.start, "--catalogue", str(tmp_path), "serve"],
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )
    assert found.returncode == 1
    assert "no catalogue in this folder" in found.stderr


def _children(parent: int) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found.append(int(entry.parent.name))
    return found


def _alive(number: int) -> bool:
    try:
        state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
