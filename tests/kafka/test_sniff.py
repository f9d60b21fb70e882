"""Which log a file is and who wrote it, from its beginning."""

import pytest

from pipeline.kafka.reading.sniff import Sniff, has_named_writers, sniff_head
from tests.kafka.reading import read

TIME = b"[2024-03-01 12:00:00,123] "
STATE = (
    TIME
    + b"TRACE [Controller id=3 epoch=5] Started leader election for partition t-0 (state.change.logger)\n"
)
BROKER = TIME + b"TRACE [Broker id=3] Cached leader info x for partition t-0 (state.change.logger)\n"
CONTROLLER = TIME + b"INFO [Controller id=3] Starting up (kafka.controller.KafkaController)\n"
KRAFT = TIME + b"INFO [QuorumController id=7] Becoming (org.apache.kafka.controller.QuorumController)\n"
SERVER = TIME + b"INFO [KafkaServer id=3] started (kafka.server.KafkaServer)\n"
NOISE = TIME + b"DEBUG preRegister called. Server=a, name=b (kafka.controller)\n"
TOO_BIG = (b"2147483648", b"99999999999", b"9" * 5000)

CASES = [
    ("state-change", STATE + BROKER, Sniff("stock", "state-change", frozenset({3}))),
    ("controller", CONTROLLER, Sniff("stock", "controller", frozenset({3}))),
    (
        "both dialects of controller.log",
        CONTROLLER + KRAFT,
        Sniff("stock", "controller", frozenset({3, 7}), is_kraft=True),
    ),
    ("server", SERVER, Sniff("stock", "server", frozenset({3}))),
    ("all in one", SERVER + STATE, Sniff("stock", "mixed", frozenset({3}))),
    (
        "ids that no node has",
        CONTROLLER + b"".join(CONTROLLER.replace(b"id=3", b"id=" + one) for one in TOO_BIG),
        Sniff("stock", "controller", frozenset({3})),
    ),
    (
        "the greatest id",
        CONTROLLER.replace(b"id=3", b"id=2147483647"),
        Sniff("stock", "controller", frozenset({2**31 - 1})),
    ),
    ("JMX noise", NOISE, Sniff("stock", "controller", frozenset())),
    (
        "a broker inside of another program",
        TIME
        + b"INFO [mini:Controller-3-to-broker-1-send-thread], Starting  (kafka.controller.RequestSendThread)\n",
        Sniff("stock", "controller", frozenset({3})),
    ),
    ("begins in a stack trace", b"\tat x\n" * 40 + STATE, Sniff("stock", "state-change", frozenset({3}))),
    ("of another program", TIME + b"INFO hello (com.example.Main)\n", Sniff("stock", None, frozenset())),
    (
        "most lines count",
        (b"kafka-1  | " + STATE) * 9 + STATE,
        Sniff("compose/stock", "state-change", frozenset({3})),
    ),
    (
        "a few lines are coloured",
        STATE * 2 + STATE.replace(b"TRACE", b"\x1b[31mTRACE\x1b[0m") * 9,
        Sniff("ansi/stock", "state-change", frozenset({3})),
    ),
    (
        "stack traces outnumber records",
        (STATE + b"java.lang.X\n" + b"\tat x\n" * 30) * 3,
        Sniff("stock", "state-change", frozenset({3})),
    ),
    ("no log", b"\x7fELF\x00\n" * 99, Sniff(None, None, frozenset())),
    ("empty", b"", Sniff(None, None, frozenset())),
]


@pytest.mark.parametrize(("head", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_sniff(head: bytes, expected: Sniff) -> None:
    assert sniff_head(head) == expected


def test_only_the_beginning_counts() -> None:
    assert sniff_head(STATE * 4000 + SERVER).log == "state-change"


OTHER = BROKER.replace(b"id=3", b"id=4")
BARE = TIME + b"DEBUG [OfflinePartitionLeaderSelector]: Some broker in ISR is alive for [t,0]. Select 1 from ISR 1 to be the leader. (kafka.controller.OfflinePartitionLeaderSelector)\n"  # fmt: skip


def test_of_a_file_of_several_nodes_each_record_is_of_the_one_that_it_names() -> None:
    """A stack trace belongs to its record; what names none is left out, and its bytes stay."""
    content = b"\tat y\n" + BROKER + b"java.io.IOException\n\tat x\n" + OTHER + BARE + STATE
    rows = read(content, log="mixed", node_id=None, is_shared=True)
    assert [one["node_id"] for one in rows] == [None, 3, 4, None, 3]
    assert [one["not_understood_reason"] for one in rows[-2:]] == ["no_writer", None]
    assert [rows[3][name] for name in ("event", "template", "topic", "raw")] == [None, None, None, BARE]
    assert sum(one["byte_length"] for one in rows) == len(content)
    alone = read(content, log="mixed", node_id=3)
    assert [one["event"] for one in rows if one["event"]] == [
        one["event"] for one in alone if one["event"] and one["raw"] != BARE
    ]


def test_of_a_server_log_of_several_nodes_what_names_no_node_is_left_out() -> None:
    """Half of its records name none; those of a controller's logs in it have to."""
    untold = TIME + b"INFO starting (kafka.server.KafkaServer)\n"
    content = untold * 9 + SERVER + SERVER.replace(b"id=3", b"id=4")
    assert has_named_writers(sniff_head(content), content)
    rows = read(content, log="server", node_id=None, is_shared=True)
    assert [one["not_understood_reason"] for one in rows[8:]] == ["no_writer", None, None]
    assert [one["node_id"] for one in rows[8:]] == [None, 3, 4]
    mixed = content + STATE + BARE
    assert not has_named_writers(sniff_head(mixed), mixed)


@pytest.mark.parametrize("unnamed, is_told", [(0, True), (1, True), (2, False)])
def test_a_file_of_several_nodes_is_told_apart_where_nearly_all_records_name_theirs(
    unnamed: int, *, is_told: bool
) -> None:
    content = STATE * 5 + STATE.replace(b"id=3", b"id=4") * 5 + BARE * unnamed + NOISE * 9
    assert has_named_writers(sniff_head(content), content) is is_told
