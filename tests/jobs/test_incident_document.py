"""What `--format json` says of the end of the data is what the screen says."""

import json
from typing import Any

import pytest

from jobs.incident.document import end_document
from jobs.screen.facts import Facts, gather_facts
from jobs.screen.first_screen import at_end
from pipeline.catalog.tables import SPECS
from pipeline.views.reading.answers import Answers
from tests.conftest import REPOSITORY
from tests.incident.printing import printed


@pytest.fixture(scope="module")
def facts(sample_answers: Answers) -> Facts:
    return gather_facts(sample_answers, {one.name: "1 a" for one in SPECS}, 0)


def test_a_program_is_told_what_the_screen_says(capsys: pytest.CaptureFixture[str]) -> None:
    said = printed(capsys, str(REPOSITORY / "tests" / "data" / "sample"), "--format", "json")
    (told,) = json.loads(said)["clusters"]
    assert told["verdict_code"] == "not_ok" and told["verdict"].startswith("NOT OK")
    end: dict[str, Any] = told["at_end"]
    assert (end["controller"]["controller_id"], end["controller"]["controller_epoch"]) == (2, 8)
    assert end["partitions"] | {"unknown": 0} == {
        "partitions": 44, "offline": 0, "service_unknown": 0, "elsewhere": 12, "unknown": 0,
    }  # fmt: skip
    assert [one["broker_id"] for one in end["brokers"] if one["is_breach"]] == [1]
    assert [one["controller_id"] for one in told["terms"]] == [2, 1, 3, 2, 3, 2, 1, 2]
    assert told["outages"]["long"] == 38


def test_who_has_left_office_is_no_controller(facts: Facts) -> None:
    ended = facts.terms[-1] | {"ended_at": facts.read["last_at"], "superseded_at": None}
    without = Facts(**vars(facts) | {"terms": [*facts.terms[:-1], ended], "in_office": None})
    assert "controller none" in " ".join(at_end(without))
    assert end_document(without)["controller"] is None
    assert end_document(Facts(**vars(facts) | {"terms": []}))["controller"] is None
