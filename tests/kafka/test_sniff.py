"""Which log a file is and who wrote it, from its beginning."""

import pytest

from pipeline.kafka.reading.sniff import Sniff, sniff

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
    ("both dialects of controller.log", CONTROLLER + KRAFT, Sniff("stock", "controller", frozenset({3, 7}))),
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
    assert sniff(head) == expected


def test_only_the_beginning_counts() -> None:
    assert sniff(STATE * 4000 + SERVER).log == "state-change"
