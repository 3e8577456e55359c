"""A real Dask scheduler with real workers, for tests of what runs on a cluster."""

import subprocess
import sys
import time
from pathlib import Path

import orjson

START_S = 60


class Cluster:
    """A scheduler and workers as processes of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []
        self.address = ""
        self.workers: list[subprocess.Popen[bytes]] = []

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [
                sys.executable,
                "-W",
                "ignore",
                "-m",
                "distributed.cli." + arguments[0],
                *arguments[1:],
            ],
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=(self.folder / f"{len(self.processes)}.log").open("wb"),
        )
        self.processes.append(process)
        return process

    def start_scheduler(self) -> None:
        contact = self.folder / "scheduler.json"
        self.start(
            "dask_scheduler",
            *("--host", "127.0.0.1", "--port", "0", "--no-dashboard"),
            *("--scheduler-file", str(contact)),
        )
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            if contact.exists() and (content := contact.read_bytes()):
                self.address = orjson.loads(content)["address"]
                return
            time.sleep(0.05)
        raise AssertionError((self.folder / "0.log").read_text())

    def start_worker(self) -> None:
        self.workers.append(
            self.start(
                "dask_worker",
                self.address,
                *("--no-dashboard", "--nthreads", "1", "--no-nanny"),
                *("--local-directory", str(self.folder)),
            )
        )

    def wait_for_workers(self) -> None:
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(len(self.workers), timeout=START_S)

    def stop(self) -> None:
        for process in reversed(self.processes):
            process.kill()
            process.wait()
