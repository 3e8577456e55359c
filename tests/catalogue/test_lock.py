import os
import signal
import subprocess
import sys
import textwrap

import pytest

from equipoise.catalogue import Catalogue, build
from equipoise.catalogue.lock import LOCK_NAME, builder_lock
from equipoise.errors import CatalogueError

HOLDER = textwrap.dedent(
    """
    import sys, time
    from pathlib import Path
    from equipoise.catalogue.lock import builder_lock
    with builder_lock(Path(sys.argv[1])):
        print("held", flush=True)
        sys.stdin.read()
    """
)


@pytest.fixture
def holder(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout.readline() == b"held\n"
    with process:
        yield process
        if process.poll() is None:
            process.kill()


def test_a_second_builder_is_refused_with_the_name_of_the_first(make, tmp_path, holder):
    with pytest.raises(CatalogueError, match=f"another builder .process {holder.pid} on "):
        build([make.round_data()], tmp_path)
    holder.stdin.close()
    assert holder.wait() == 0
    build([make.round_data()], tmp_path)
    assert Catalogue.open(tmp_path).manifest.files["runs"].rows == 5


def test_the_lock_of_a_killed_builder_is_free(make, tmp_path, holder):
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    assert (tmp_path / LOCK_NAME).exists()
    build([make.round_data()], tmp_path)
    assert not (tmp_path / LOCK_NAME).exists()


def test_the_lock_is_free_after_an_error(tmp_path):
    with pytest.raises(ZeroDivisionError), builder_lock(tmp_path):
        1 / 0  # noqa: B018
    with builder_lock(tmp_path), pytest.raises(CatalogueError), builder_lock(tmp_path):
        pass


def test_a_lock_file_that_was_replaced_is_taken_anew(tmp_path):
    with builder_lock(tmp_path):
        (tmp_path / LOCK_NAME).unlink()
        with builder_lock(tmp_path):
            assert (tmp_path / LOCK_NAME).exists()


def test_a_folder_that_cannot_be_written(tmp_path):
    with (
        pytest.raises(CatalogueError, match="cannot write here"),
        builder_lock(tmp_path / "absent"),
    ):
        pass
