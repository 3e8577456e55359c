import subprocess

import pytest

from equipoise.catalogue import Catalogue
from equipoise.catalogue import ingest as ingest_module
from equipoise.catalogue.ingest import ingest
from equipoise.errors import CatalogueError, DataError, SourceError, UsageError


@pytest.fixture
def round_folder(make_round, tmp_path):
    """A round of one submitter with ten bert runs, as a folder."""
    return make_round(tmp_path / "v4.1")


def test_a_folder_becomes_a_catalogue(round_folder, tmp_path):
    report = ingest([round_folder], tmp_path / "c")
    (row,) = report.rounds
    assert (row.round, row.systems, row.runs, row.scores) == ("v4.1", 1, 10, 1)
    assert row.bytes > 0
    with Catalogue.open(tmp_path / "c") as catalogue:
        (found,) = catalogue.configurations(benchmark="bert")
        assert found.time_to_train_min == pytest.approx(9.5)
        assert found.accelerators == 8
        assert len(found.run_times_min) == 10
        (system,) = catalogue.systems()
        assert "machine room" in system.raw
        assert catalogue.check().passed


def test_the_bundled_form_keeps_no_notes(round_folder, tmp_path):
    ingest([round_folder], tmp_path / "c", keep_raw=False)
    content = b"".join(p.read_bytes() for p in (tmp_path / "c").rglob("*") if p.is_file())
    assert b"machine room" not in content
    with Catalogue.open(tmp_path / "c") as catalogue:
        assert catalogue.systems()[0].raw is None


def test_a_git_repository_is_known_by_its_commit(round_folder, tmp_path):
    def git(*arguments):
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.invalid"]
        command = ["git", "-C", str(round_folder), *identity, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "--message", "results")
    ingest([round_folder], tmp_path / "c")
    with Catalogue.open(tmp_path / "c") as catalogue:
        (source,) = catalogue.info().sources
        assert (source.source, source.revision) == ("git", git("rev-parse", "HEAD"))
        assert len(catalogue.runs()) == 10


def test_own_logs_are_appended_and_stay_unverified(round_folder, make, tmp_path):
    ingest([round_folder], tmp_path / "c")
    own = tmp_path / "mine"
    own.mkdir()
    for number in range(3):
        (own / f"result_{number}.txt").write_text(make.log(50 + number, 7))
    ingest([own], tmp_path / "c", append=True)
    with Catalogue.open(tmp_path / "c") as catalogue:
        assert [e.round for e in catalogue.rounds()] == ["v4.1", "own"]
        assert {s.division for s in catalogue.scores(rounds=["own"])} == {"unverified"}
        assert catalogue.check().problems == ()


def test_strict_refuses_what_was_rejected_and_keeps_the_old_catalogue(round_folder, tmp_path):
    ingest([round_folder], tmp_path / "c")
    bad = round_folder / "ExampleOrg" / "results" / "node-a" / "bert" / "result_10.txt"
    bad.write_text("no run here\n")
    before = Catalogue.open(tmp_path / "c").manifest
    with pytest.raises(DataError, match=r"1 rejected, so nothing was built .*result_10\.txt"):
        ingest([round_folder], tmp_path / "c", strict=True)
    assert Catalogue.open(tmp_path / "c").manifest == before
    report = ingest([round_folder], tmp_path / "c")
    assert report.rounds[0].rejections == 1
    assert any("1 rejected" in text for text in report.warnings)


def test_nothing_usable_is_an_error(tmp_path):
    (tmp_path / "v4.1" / "ExampleOrg" / "results").mkdir(parents=True)
    with pytest.raises(DataError):
        ingest([tmp_path / "v4.1"], tmp_path / "c")
    with pytest.raises(SourceError):
        ingest([tmp_path / "absent"], tmp_path / "c")
    with pytest.raises(UsageError, match="no source"):
        ingest([], tmp_path / "c")
    assert not (tmp_path / "c" / "manifest.json").exists()


def test_a_second_ingest_is_refused_before_it_reads(round_folder, tmp_path, monkeypatch):
    real = ingest_module.open_source
    refused = []

    def meanwhile(text, **options):
        if not refused:
            with pytest.raises(CatalogueError, match="another builder") as caught:
                ingest([round_folder], tmp_path / "c")
            refused.append(caught)
        return real(text, **options)

    monkeypatch.setattr(ingest_module, "open_source", meanwhile)
    ingest([round_folder], tmp_path / "c")
    assert refused


def test_the_round_can_be_said(round_folder, tmp_path):
    report = ingest([round_folder], tmp_path / "c", round_override="v5.0")
    assert [row.round for row in report.rounds] == ["v5.0"]


def test_a_run_in_two_rounds_is_said(round_folder, tmp_path):
    ingest([round_folder], tmp_path / "c")
    report = ingest([round_folder], tmp_path / "c", round_override="v5.0", append=True)
    assert any("10 logs are copies of 10 runs" in text for text in report.warnings)
    with Catalogue.open(tmp_path / "c") as catalogue:
        assert len(catalogue.configurations(benchmark="bert")) == 1
        assert len(catalogue.configurations(benchmark="bert", keep_resubmitted=True)) == 2


def test_measurements_of_ones_own_lie_beside_the_rounds(round_folder, tmp_path):
    table = tmp_path / "mine.csv"
    table.write_text(
        "benchmark,accelerators,time_to_train_min,accelerator\n"
        "bert,8,100,h100-sxm5-80gb\nbert,16,55,h100-sxm5-80gb\n"
    )
    ingest([round_folder], tmp_path / "c")
    report = ingest([table], tmp_path / "c", append=True)
    assert [(row.round, row.scores) for row in report.rounds] == [("own", 2)]
    with Catalogue.open(tmp_path / "c") as catalogue:
        own = catalogue.configurations(benchmark="bert", divisions=["unverified"])
        assert {c.accelerators: c.time_to_train_min for c in own} == {8: 100.0, 16: 55.0}
        assert not any(c.verified for c in own)
        assert len(catalogue.configurations(benchmark="bert")) == 1
        assert catalogue.check().problems == ()
