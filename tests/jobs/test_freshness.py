"""Which tables a run may take as they are."""

from importlib.resources import files

from jobs.engine.incremental.fingerprints import ABOUT_FILES, tables_on_fresh_inputs
from pipeline.catalog.knowledge import FORMS, read_knowledge_files
from pipeline.catalog.tables import TABLES
from pipeline.store.runs.published import Published

BUILT = frozenset(one.spec.name for one in TABLES if one.build is not None)


def test_what_stands_on_a_table_that_is_built_anew_soon_is_not_sound() -> None:
    """An upgrade builds what differs from its declaration; of the rest it knows only that older code built it."""
    assert tables_on_fresh_inputs(BUILT, ()) == BUILT
    derived = {"silver.log_gap", "gold.evidence", "silver.wording_seen"}
    assert tables_on_fresh_inputs(derived, BUILT - derived) == derived
    assert tables_on_fresh_inputs(derived, BUILT - {*derived, "silver.controller_step"}) == {
        "silver.wording_seen"
    }
    assert tables_on_fresh_inputs(derived - {"silver.wording_seen"}, ()) == frozenset()


def test_what_files_are_recognised_by_is_there() -> None:
    """One that was renamed would be left out of the number, and its changes reach no file that was seen."""
    assert {name for name, _ in read_knowledge_files(files("pipeline.kafka"), "pipeline.kafka")} >= FORMS


def test_what_is_said_of_files_follows_their_sightings() -> None:
    assert {"silver.log_gap", "gold.evidence", "gold.finding"} <= ABOUT_FILES
    assert "silver.term" not in ABOUT_FILES


def test_a_run_that_is_refused_states_what_the_tables_were_made_by() -> None:
    stated = {"settings_fingerprint": "s", "knowledge_fingerprint": "k", "settings": "{}"}
    assert Published("r", 1, {}, "s", "k", {}, "{}").stated() == stated
    assert Published().stated() == {}
