"""Fixtures shared by all tests: real rounds when they lie beside the checkout."""

from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("equipoise", deadline=None)  # a busy machine is no failure
settings.load_profile("equipoise")

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of real rounds and cases beside the checkout, or skip."""
    if not SHARED.is_dir():
        pytest.skip("the folder ../shared with real rounds and cases is not beside this checkout")
    return SHARED


@pytest.fixture
def dask_cluster(tmp_path_factory):
    """Yield a running Dask scheduler without workers; the test starts them."""
    pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
    from tests.dask_cluster import Cluster

    running = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        running.start_scheduler()
        yield running
    finally:
        running.stop()
