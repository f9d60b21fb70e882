"""Explaining without a terminal: pasted text in all its forms, moves, and every wording there is."""

from pathlib import Path

import pytest

from pipeline.kafka.explaining.explanation import explain_record
from pipeline.kafka.machines.legal_moves import move_law
from pipeline.kafka.reading.pasted import read_pasted_text, rows_in_envelope
from pipeline.kafka.wording.templates import template_matcher
from tests.kafka.real_lines import MESSAGE, READY, REAL, TIME


@pytest.mark.parametrize("line", [case[3] for case in REAL], ids=[case[0] for case in REAL])
def test_a_bare_message_says_the_same_without_its_time(line: str) -> None:
    whole = explain_record(read_pasted_text(line.encode()).records[0])
    with_level = line[line.index("] ") + 2 :]
    bare = with_level[with_level.index(" ") + 1 : with_level.rindex(" (")]
    for text in (with_level, bare, f"  {bare}\r\n"):
        told = explain_record(read_pasted_text(text.encode()).records[0])
        assert (told.event, told.fields, told.source) == (whole.event, whole.fields, whole.source)
        assert (told.logged_local, told.level) == (None, whole.level if text == with_level else None)


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        (READY, ""),
        (f"kafka-1  | {READY}", ""),
        (f"logs/controller.log:12:{READY}", "the beginning of the line, 'logs/controller.log:12:'"),
        (f"\x1b[32m{READY}\x1b[0m", ""),
        (f"some words before it {READY}\n\tand a line after it", "the beginning of the line, 'some words before it'"),
    ],
)  # fmt: skip
def test_what_stands_around_a_line_does_not_hide_it(text: str, left_out: str) -> None:
    found = read_pasted_text(text.encode())
    told = explain_record(found.records[0])
    assert (told.event, found.left_out) == ("controller_ready", left_out)
    assert told.logged_local is not None and told.logged_at is None


def test_several_lines_are_several_records_and_a_trace_belongs_to_its_line() -> None:
    trace = "java.io.IOException: Connection to 2 failed\n\tat a.B.c(B.scala:1)"
    text = f"{READY}\n{REAL[4][3]}\n{trace}\n{READY}\n"
    told = [explain_record(one) for one in read_pasted_text(text.encode()).records]
    assert [one.event for one in told] == [
        "controller_ready",
        "replica_transition_failed",
        "controller_ready",
    ]
    assert [one.exception for one in told] == [None, ("java.io.IOException", "Connection to 2 failed"), None]
    bare = [
        explain_record(one) for one in read_pasted_text(f"{MESSAGE}\n{trace}\n{MESSAGE}".encode()).records
    ]
    assert [one.exception for one in bare] == [("java.io.IOException", "Connection to 2 failed"), None]


def test_a_move_is_judged_by_the_releases_of_its_wording() -> None:
    def law(to_state: str, since: str, until: str) -> str:
        found = move_law("replica", "OfflineReplica", to_state, since, until)
        assert found is not None
        return found.sentence.removeprefix(f"OfflineReplica to {to_state}: ")

    assert law("ReplicaDeletionIneligible", "1.1", "3.9") == "legal from 2.3 on, refused up to 2.2"
    assert law("ReplicaDeletionIneligible", "0.8.1", "0.11.0") == "refused up to 2.2"
    assert law("OnlineReplica", "1.1", "3.9") == "legal in every release"
    assert law("NewReplica", "1.1", "3.9") == "refused in every release"
    assert move_law("partition", "NotExists", "New", "0.8.0", "0.8.0") is None
    known = move_law("replica", "OnlineReplica", "NewReplica", "1.1", "3.9")
    assert known is not None and [label for label, _ in known.notes] == ["item 21"]


def test_a_move_has_the_methods_that_ask_for_it_by_their_names_in_its_releases() -> None:
    def asked(since: str, until: str) -> tuple[str, ...]:
        found = move_law("replica", "ReplicaDeletionIneligible", "OfflineReplica", since, until)
        assert found is not None
        return found.asked

    by_failure, by_retry = asked("0.8.1", "0.11.0")
    assert by_failure == "KafkaController.onBrokerFailure"
    assert by_retry == "TopicDeletionManager.markTopicForDeletionRetry"
    assert asked("1.0", "2.2")[0] == "KafkaController.onReplicasBecomeOffline"
    assert asked("2.2", "2.3") == (
        "ReplicaStateMachine.startup",
        "KafkaController.onReplicasBecomeOffline",
        "TopicDeletionManager.markTopicForDeletionRetry, from 2.3 on "
        "TopicDeletionManager.retryDeletionForIneligibleReplicas",
    )


def test_a_huge_message_is_answered() -> None:
    dump = f"[2026-11-21 09:00:21,682] INFO [Controller id=2] {'x' * (20 << 20)} (kafka.controller.KafkaController)"
    assert explain_record(read_pasted_text(dump.encode()).records[0]).reason == "too_long"
    assert explain_record(read_pasted_text(b"a" * (20 << 20)).records[0]).reason == "no_envelope"


@pytest.mark.parametrize("each", [5, pytest.param(1, marks=pytest.mark.soak)])
def test_every_wording_has_an_explanation(each: int) -> None:
    templates = template_matcher().templates[::each]
    messages = [one.render(dict.fromkeys(one.fields, "1")) for one in templates]
    lines = [
        f"{TIME} INFO {message} ({one.source})" for message, one in zip(messages, templates, strict=True)
    ]
    told = [explain_record(record) for record in read_pasted_text("\n".join(lines).encode()).records]
    assert len(told) == len(templates)
    understood = [one for one in told if one.event]
    assert len(understood) > 0.6 * len(templates)  # a 1 is no state and no class of an exception
    assert all(one.source and one.meaning and one.wordings[0].printed for one in understood)


def test_lines_of_the_corpus_are_explained_as_the_audit_reads_them(shared: Path) -> None:
    """One line of each wording, bare, and pasted whole: the event that the reader of the jobs gives."""
    seen: dict[str, tuple[str, bytes]] = {}
    for file in sorted((shared / "corpus").glob("*/*/*/*.log"))[::4]:
        head = file.read_bytes()[: 200 << 10]
        rows, _ = rows_in_envelope(head[: head.rfind(b"\n") + 1])
        read = ((row["template"], row["event"], row["raw"].split(b"\n")[0]) for row in rows if row["event"])
        seen |= {template: (event, line) for template, event, line in read if line.startswith(b"[20")}
    assert len(seen) > 200
    found = list(seen.values())
    whole = b"\n".join(line for _, line in found)
    assert [explain_record(one).event for one in read_pasted_text(whole).records] == [
        event for event, _ in found
    ]
    for start in range(0, len(found), 50):
        some = found[start : start + 50]
        bare = b"\n".join(line.split(b"] ", 1)[1].rsplit(b" (", 1)[0] for _, line in some)
        assert [explain_record(one).event for one in read_pasted_text(bare).records] == [
            event for event, _ in some
        ]
