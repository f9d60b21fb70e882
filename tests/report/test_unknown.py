"""What a page says that is not known: what logs do not tell, and how many places of it are folded."""

import polars as pl

from jobs.report.elements import html_element
from jobs.report.head import end_partitions_text
from jobs.report.unknown import fold_long_list
from pipeline.core.frames import with_absent
from schemas.gold import evidence
from tests.jobs.answering import answers_of
from tests.report.pages import page_of
from tests.report.reading import read


def test_what_a_node_cannot_answer_is_said_with_what_to_do() -> None:
    todo = ["moves of replicas: set x=TRACE", "requests: set x=TRACE"]
    rows = pl.DataFrame({"node_id": [2, 1], "unanswered": [todo] * 2})
    root = read(page_of(answers_of(evidence=with_absent(rows, evidence.SPEC))))
    (part,) = root.all("section", id="unknown")
    said = (
        "for some of the time, the logs of nodes 1, 2 as controller do not tell of moves of replicas; of requests; "
        "to have it told: set x=TRACE"
    )
    assert said in [one.text for one in part.all("li")]


def test_many_gaps_are_folded() -> None:
    items = [html_element("li", str(one)) for one in range(6)]
    assert [one.text for one in read(fold_long_list(items, 2000)).all("summary")] == [
        "Each of these 2,000 with its line"
    ]
    assert not read(fold_long_list(items[:5], 5)).all("details") and fold_long_list([], 0) == ""


def test_partitions_that_are_not_known_are_not_counted_as_healthy() -> None:
    end = {"partitions": 56, "offline": 0, "service_unknown": 40, "elsewhere": 1, "unknown": 55}
    assert end_partitions_text(end) == (
        "up to 40 of 56 partitions offline, 1 to 56 not led by the preferred leader (of 55 leader or replicas are not"
        " known), "
    )
    assert end_partitions_text(end | {"service_unknown": 56}).startswith("? of 56 partitions offline, ")
    assert end_partitions_text(end | {"unknown": 0, "service_unknown": 0}) == (
        "0 of 56 partitions offline, 1 not led by the preferred leader, "
    )
    assert end_partitions_text(end | {"partitions": 0}) == "partitions: not enough evidence, "
