"""A message of Slack's: nothing that logs say acts in it, and it stays within its length."""

import json
import re
from dataclasses import replace

import pytest

from jobs.layout import program_to_paste
from jobs.notify.alert_forms import as_findings
from jobs.notify.chat_forms import as_slack, as_teams, markdown_text
from jobs.notify.message import MOST, SHOWN, Message, compose_message, key_of
from jobs.notify.remembered import News
from jobs.playbook.pages import what_to_do
from jobs.questions.status import Status
from pipeline.views.reading.rows import Place, Row
from tests.notify.told_findings import AT, finding

STATUS = Status("prod", "NOT OK", 1, 2, 3, "controller 2 (epoch 8)", [], AT)
LINES: dict[Place, Row] = {
    ("f", 7): {"near": "b1/controller.log", "path": "/logs/b1/controller.log", "line": 3}
}
HOSTILE = (
    "<!channel> <!here> <@U1> <#C1> <https://evil.example|click> @channel @everyone @here "
    "` ``` *bold* _it_ ~no~ https://evil.example/x?a&b \x1b[31m\n\u202e"
)


def message(news: News, warehouse: str = "/data/audit", lines: dict[Place, Row] = LINES) -> Message:
    return compose_message(news, STATUS, lines, warehouse)


def text_of(news: News, warehouse: str = "/data/audit", lines: dict[Place, Row] = LINES) -> str:
    return markdown_text(message(news, warehouse, lines))


def command(words: str) -> str:
    return f"{program_to_paste()} {words} --warehouse /data/audit --cluster prod"


def test_a_finding_its_place_and_what_tells_more() -> None:
    over = finding("it was", severity="warning", valid_until_at=AT, status="resolved")
    news = News(
        [(1, finding("it is")), (4, finding("and this", rule="outage", status="ongoing", evidence=[]))],
        [(2, over), (3, finding("it never was", status="retracted"))],
        passed=2,
    )
    assert text_of(news).splitlines() == [
        "*NOT OK: 1 critical, 2 warning*  `prod`, 3 partitions without a leader, data to 2026-11-21 09:00:21.678 UTC",
        "2 new findings:",
        "CRIT `F1 2026-11-21 09:00:21.678 it is  [proved]  OPEN`",
        "    `b1/controller.log:3`",
        f"    `{command('show ab12')}`",
        f"    Do: {what_to_do('outage', is_open=True)}",
        "CRIT `F4 2026-11-21 09:00:21.678 and this  [proved]  OPEN`",
        f"    `{command('show ab12')}`",
        "2 findings told before, no longer so:",
        "WARN `over at 2026-11-21 09:00:21.678: it was`",
        "CRIT `retracted, it is found no more: it never was`",
        f"2 findings of the time before, not told here: `{command('findings')}`",
    ]


def test_nothing_that_logs_say_acts() -> None:
    odd = {("f", 7): LINES["f", 7] | {"near": HOSTILE}}
    news = News([(1, finding(HOSTILE))], [(2, finding(HOSTILE, valid_until_at=AT))])
    text = text_of(news, lines=odd)
    assert not set("<>") & set(text) and not re.search(r"@\w|&(?!amp;|lt;|gt;)", text)
    assert text.replace("\n", "").replace("\u200b", "").isprintable()
    # Where nothing is marked, linked or called all the same: everything that is not ours stands in code.
    outside = re.sub(r"`[^`\n]+`", "", text)
    assert outside.count("Do: ") == 1
    assert "`" not in outside and not {"evil", "bold", "channel"} & set(re.findall(r"\w+", outside))
    sent = json.loads(as_slack(message(news, lines=odd)))
    assert sent["parse"] == "none" and not sent["unfurl_links"] and not sent["mrkdwn"]
    assert not set("<>`") & set(sent["text"]) and not re.search(r"@\w", sent["text"])
    assert {(one["type"], one["text"]["type"]) for one in sent["blocks"]} == {
        ("header", "plain_text"),
        ("section", "plain_text"),
    }
    (card,) = json.loads(as_teams(message(news, lines=odd)))["attachments"]
    assert {one["type"] for one in card["content"]["body"]} == {"RichTextBlock"}  # no Markdown is read in it
    assert {run["type"] for one in card["content"]["body"] for run in one["inlines"]} == {"TextRun"}


def test_slack_is_told_in_plain_text() -> None:
    over = finding("it was", severity="warning", valid_until_at=AT, status="resolved")
    sent = json.loads(as_slack(message(News([(1, finding("it is"))], [(2, over)]))))
    assert sent["text"].startswith(
        "NOT OK: 1 critical, 2 warning  prod, 3 partitions without a leader, data to "
    )
    assert sent["text"].endswith(". CRIT F1 2026-11-21 09:00:21.678 it is  [proved]  OPEN")
    assert [one["text"]["text"] for one in sent["blocks"]] == [
        "NOT OK: 1 critical, 2 warning",
        "prod, 3 partitions without a leader, data to 2026-11-21 09:00:21.678 UTC",
        "1 new finding:\nCRIT F1 2026-11-21 09:00:21.678 it is  [proved]  OPEN\nb1/controller.log:3\n"
        f"Do: {what_to_do('outage', is_open=True)}\n{command('show ab12')}",
        "1 finding told before, no longer so:\nWARN over at 2026-11-21 09:00:21.678: it was",
    ]


def test_a_chat_takes_what_is_long() -> None:
    many = [(number, finding("&" * 5000, rule="unclean_election")) for number in range(1, 41)]
    sent = json.loads(as_slack(message(News(many))))
    assert len(sent["blocks"]) <= 50 and max(len(one["text"]["text"]) for one in sent["blocks"]) <= 3000
    assert len(as_teams(message(News(many)))) < 28_000


@pytest.mark.parametrize(("words", "count"), [("s", 1), ("&", 5000), ("a b ", 200)])
def test_it_is_no_longer_than_is_taken_and_counts_the_rest(words: str, count: int) -> None:
    many = [
        (number, finding(words * count, rule="unclean_election", valid_until_at=AT))
        for number in range(1, 41)
    ]
    text = text_of(News(many[:25], many[25:]))
    shown = text.count("show ab12")
    assert 2 <= shown <= SHOWN and (len(text) <= MOST or "&" in words)
    assert f"\n{40 - shown} more: `{command('findings')}`" in text
    assert text.startswith("*NOT OK") and "\n25 new findings:\n" in text


def test_those_alike_are_one_line_that_tells_the_worst() -> None:
    worse = finding("the worst", facts={"total_ms": 900}, finding_id="cd34")
    other = finding("another", rule="unclean_election")
    many = [(number, finding("s", facts={"total_ms": 7})) for number in range(1, 31)]
    lines = text_of(
        News([(0, other), *many, (31, worse), (32, finding("not one of these", severity="info"))])
    ).splitlines()
    assert [line for line in lines if line.startswith(("CRIT", "INFO"))] == [
        "CRIT `F0 2026-11-21 09:00:21.678 another  [proved]  OPEN`",
        "CRIT `F1-F31 2026-11-21 09:00:21.678 31 events left partitions without a leader; the worst: the worst  [proved]  OPEN`",
        "INFO `F32 2026-11-21 09:00:21.678 not one of these  [proved]  OPEN`",
    ]
    assert (
        lines[1] == "33 new findings:"
        and f"    `{command('show cd34')}`" in lines
        and "more: " not in lines[-1]
    )


def test_a_warehouse_that_may_hold_a_key_is_not_named() -> None:
    many = News([(number, finding(rule="unclean_election")) for number in range(20)])
    assert "--warehouse s3://bucket/audit " in text_of(many, "s3://bucket/audit")
    assert "secret" not in text_of(many, "s3://id:secret@bucket/audit") + text_of(many, "s3://b/a?key=secret")


def test_a_command_that_a_chat_changes_is_left_out() -> None:
    """Pasted, it would name another cluster."""
    news = News([(number, finding(f"s{number}", rule="unclean_election")) for number in range(20)], passed=1)
    for name in ("prod@eu & b", "<b>", "a`b"):
        text = markdown_text(compose_message(news, replace(STATUS, cluster_id=name), LINES, "/data/audit"))
        assert "--cluster" not in text and "\n1 finding of the time before, not told here" in text
        assert text.count("CRIT `") == SHOWN
    for name in ("c" * 200, "a\x1bb"):
        long = compose_message(news, replace(STATUS, cluster_id=name), LINES, "/data/audit")
        assert "--cluster" not in markdown_text(long) + as_slack(long).decode() + as_teams(long).decode()
    plain = json.loads(as_slack(compose_message(news, replace(STATUS, cluster_id="a & b"), LINES, "/d")))
    assert "--cluster 'a & b'" in plain["blocks"][2]["text"]["text"]


def test_programs_get_findings_as_they_are() -> None:
    news = News([(4, finding(HOSTILE))], [(7, finding("b", finding_id="cd34", status="resolved"))])
    first, second = json.loads(as_findings(news, LINES))
    assert (first["number"], first["sentence"], first["evidence"][0]["line"]) == (4, HOSTILE, 3)
    assert (second["number"], second["status"]) == (7, "resolved")


def test_the_key_follows_what_is_told() -> None:
    one, two = (1, finding()), (2, finding(finding_id="cd34"))
    keys = [
        key_of(News([one, two]), "c"),
        key_of(News([two, one]), "c"),
        key_of(News([one], [two]), "c"),
        key_of(News([one]), "d"),
    ]
    assert keys[0] == keys[1] and len(set(keys)) == 3
