"""What the predictor learns from."""

import shutil

import equipoise as eq
from equipoise.scaling.pooled.points import pool_points
from equipoise.scaling.validate_stored import stored_accuracy
from equipoise.workflow.pooled import NOT_LEARNT, all_configurations, pooled_model


def test_it_learns_from_the_rounds_that_the_stored_accuracy_was_measured_on() -> None:
    with eq.open_catalogue() as catalogue:
        bundled = {entry.round for entry in catalogue.rounds()}
        points = pool_points(all_configurations(catalogue))
    assert "v0.5" in bundled
    stored = stored_accuracy()
    assert {point.place.round for point in points} == set(stored.rounds) == bundled - NOT_LEARNT
    assert len(points) == stored.points


def test_a_replaced_catalogue_is_learnt_anew(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with eq.open_catalogue() as bundled:
        shutil.copytree(bundled.path, tmp_path / "own")
    with eq.open_catalogue(tmp_path / "own") as catalogue:
        first = pooled_model(catalogue)
        assert pooled_model(catalogue) is first
        written = catalogue.manifest.to_bytes()
        manifest = tmp_path / "own" / "manifest.json"
        manifest.write_bytes(written.replace(b'"package_version": "', b'"package_version": "9'))
        second = pooled_model(catalogue)
        assert second is not first
        assert second.pool.points == first.pool.points
    assert len(list((tmp_path / "cache").rglob("pooled-*.npz"))) == 2
