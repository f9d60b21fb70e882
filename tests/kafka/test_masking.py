"""Masked logs say the same but for what is masked, and hold no secret."""

import json
import re
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.kafka.reading.masking import KINDS, TOKENS, Masking
from pipeline.kafka.reading.reader import ReadSettings
from tests.conftest import REPOSITORY
from tests.kafka.masking import ALL, FORMS, LINE, SAME, of, rows
from tests.kafka.masks import HARMLESS, is_masked, plain, secrets
from tests.kafka.reading import read_table
from tests.oracle.rendering import HEAD, Instance, instances
from tests.oracle.rows import FLAGS, fields
from tests.oracle.values import hard

# What the text says, not where it stands.
READ = [one for one in SAME if one not in ("byte_offset", "byte_length", "line_count")]
SAMPLE = REPOSITORY / "tests" / "data" / "sample" / "lab-2.2.2"
FEW_BYTES = 200_000
SAMPLE_LOGS = ["broker-1/controller.log", "broker-2/state-change.log", "broker-3/server.log"]
SECRET_LINE = LINE.format("[Controller id=1] x at BrokerEndPoint(id=2, host=bkr-7.corp:9092), /10.1.2.3:9092")
LONG = LINE.format("[Controller id=1] " + "y" * 90 + "host=torn-host.example:1")
WRAPPED = {
    "syslog": "Nov 21 08:00:00 loghost7 kafka[12]: " + SECRET_LINE,
    "syslog_iso": "2026-11-21T08:00:00+01:00 loghost7 kafka[12]: " + SECRET_LINE,
    "syslog_5424": "<14>1 2026-11-21T08:00:00Z loghost7 kafka 12 - - " + SECRET_LINE,
    "compose": "loghost7  | " + SECRET_LINE,
    "kubectl": "[pod/loghost7-0/kafka] " + SECRET_LINE,
    "stern": "loghost7-0 kafka " + SECRET_LINE,
    "json_message": json.dumps({"host": {"name": "loghost7"}, "message": SECRET_LINE.rstrip()}) + "\n",
    "journal": json.dumps({"_HOSTNAME": "loghost7", "MESSAGE": SECRET_LINE.rstrip()}) + "\n",
    "cri/syslog": "2026-11-21T08:00:00Z stdout F Nov 21 08:00:00 loghost7 kafka[12]: " + SECRET_LINE,
}


@pytest.mark.parametrize(("kind", "text"), FORMS, ids=[text for _, text in FORMS])
def test_a_secret_is_a_token_and_nothing_else_changes(kind: str, text: str) -> None:
    found = of(kind).masker.text(plain(text))
    assert is_masked(text, found), found
    assert len(re.findall(f"{TOKENS[kind]}-[0-9a-f]{{12}}", found)) == len(secrets(text))
    assert of(kind).masker.text(found) == found
    everything = ALL.masker.text(plain(text))
    assert not [one for one in secrets(text) if one in everything]
    assert ALL.masker.text(everything) == everything


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert ALL.masker.text(text) == text


def test_what_was_not_asked_for_stays() -> None:
    for kind, text in FORMS:
        others = of(*(one for one in KINDS if one != kind))
        if kind != "hosts":  # a host may be given as its address, and a client as its host
            assert secrets(text)[0] in others.masker.text(plain(text)), text


def test_a_secret_has_one_token_by_kind_and_key_wherever_it_stands() -> None:
    forms = [
        "host=kafka-1.example:9092",
        "PLAINTEXT://kafka-1.example:9092",
        "kafka-1.example:9092 (id: 1 rack: null)",
    ]
    tokens = {ALL.masker.text(f"{'x' * at} {one}").split("host-")[1][:12] for at, one in enumerate(forms)}
    assert len(tokens) == 1
    other = Masking(KINDS, (), b"another key of them").masker.text(forms[0])
    assert other.split("host-")[1][:12] not in tokens
    assert ALL.masker.text("host=other").split("host-")[1] not in tokens


NAMED = {"user", "principal", "connect_string", "client_id", "host", "group", "transactional_id"}


# Each turn gives every wording other values.
each_turn = pytest.mark.parametrize(
    "turn", [0, *(pytest.param(one, marks=pytest.mark.soak) for one in (1, 2))]
)


@each_turn
def test_every_wording_is_read_as_without_masking(turn: int) -> None:
    """Of values that hold no secret, or tokens already, every column and byte is the same."""
    rendered = list(instances(done, turn))
    lines = lines_of(rendered)
    for instance, before, after in zip(rendered, rows(lines, None), rows(lines), strict=True):
        # The wording itself says that a name stands there, whatever it is.
        compared = SAME if NAMED & set(instance.texts) else before
        assert {n: before[n] for n in compared} == {n: after[n] for n in compared}, after["raw"]


@cache
def done(name: str) -> list[str]:
    return [done_text(one) for one in hard(name)]


@cache
def done_text(text: str) -> str:
    return ALL.masker.text(text)


def lines_of(rendered: list[Instance]) -> bytes:
    return "".join(f"{HEAD}{one.message} ({one.wording.logger})\n" for one in rendered).encode()


@cache
def with_secrets(name: str) -> list[str]:
    """Forms that the field admits, unless it is a name of Kafka's; not the key of a client's id behind that key."""
    forms = [text for kind, text in FORMS if (name, kind) != ("client_id", "client_ids")]
    found = [plain(text) for text in forms if admits(name, plain(text))]
    is_name = name == "name" or (admits(name, "a.topic") and not admits(name, "no topic"))
    return found if found and not is_name else list(hard(name))


@each_turn
def test_every_wording_with_secrets_in_it_is_read_as_the_same_event(turn: int) -> None:
    planted = {one for _, text in FORMS for one in secrets(text)}
    rendered = list(instances(with_secrets, turn))
    lines = lines_of(rendered)
    seen: set[str] = set()
    for instance, before, after in zip(rendered, rows(lines, None), rows(lines), strict=True):
        assert {n: before[n] for n in SAME} == {n: after[n] for n in SAME}, after["raw"]
        said = str([after[name] for name in ("raw", "fields", "reason", "exception_message")])
        there = {one for one in planted if one in instance.message}
        assert not [one for one in there if one in said], said
        seen |= there
    assert len(seen) > len(planted) // 2


def admits(name: str, text: str) -> bool:
    return re.fullmatch(fields()[name]["pattern"], text, FLAGS) is not None


@pytest.mark.parametrize("name", [name for name, line in WRAPPED.items() if line.endswith(SECRET_LINE)])
@pytest.mark.parametrize("text", ["\tat a.B(C.java:1)", "Caused by: java.lang.X", "java.lang.X: a b", ""])
def test_it_is_masked_in_front_of_the_lines_after_a_message(name: str, text: str) -> None:
    before = WRAPPED[name].removesuffix(SECRET_LINE)
    (row,) = rows(f"{WRAPPED[name]}{before}{text}\n".encode(), envelope=f"{name}/stock")
    assert b"loghost7" not in row["raw"] and row["line_count"] == 2


@pytest.mark.parametrize("name", WRAPPED)
def test_a_host_in_front_of_a_line_is_masked_and_the_line_is_read(name: str) -> None:
    data = (WRAPPED[name] * 3).encode()
    before, after = (rows(data, masking, envelope=f"{name}/stock") for masking in (None, ALL))
    assert all({n: a[n] for n in SAME} == {n: b[n] for n in SAME} for a, b in zip(before, after, strict=True))
    assert [one["logger"] for one in after] == ["kafka.controller.KafkaController"] * 3
    for secret in (b"loghost7", b"bkr-7", b"10.1.2.3"):
        assert all(secret in one["raw"] for one in before)
        assert not any(secret in one["raw"] for one in after)


@pytest.mark.parametrize("at", range(LONG.index("host=torn"), LONG.index(":1 (") + 2, 3))
@pytest.mark.parametrize("wrapper", ["cri", "json_file"])
def test_a_secret_in_a_line_that_a_runtime_tore_is_masked_whole(wrapper: str, at: int) -> None:
    parts = LONG[:at], LONG[at:]
    if wrapper == "cri":
        stamp = "2026-11-21T08:00:00.123456789Z stdout "
        data = f"{stamp}P {parts[0]}\n{stamp}F {parts[1]}{stamp}F {SECRET_LINE}"
    else:
        data = "".join(
            json.dumps({"log": one, "stream": "stdout"}, separators=(",", ":")) + "\n"
            for one in (*parts, SECRET_LINE)
        )
    before, after = (rows(data.encode(), masking, envelope=f"{wrapper}/stock") for masking in (None, ALL))
    assert [{n: one[n] for n in SAME} for one in before] == [{n: one[n] for n in SAME} for one in after]
    assert b"torn-host" not in after[0]["raw"]
    assert ALL.masker.text(LONG.rstrip()).encode() in after[0]["raw"]
    again = rows(after[0]["raw"], None, envelope=f"{wrapper}/stock")[0]
    assert {n: again[n] for n in READ} == {n: after[0][n] for n in READ}


@pytest.mark.parametrize("limit", [FEW_BYTES, pytest.param(None, marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", SAMPLE_LOGS)
def test_the_sample_says_the_same_masked(name: str, limit: int | None) -> None:
    data = b"".join((SAMPLE / name).read_bytes()[:limit].splitlines(keepends=True)[: -1 if limit else None])
    before, after = rows(data, None), rows(data)
    assert sum(one["byte_length"] for one in after) == len(data)
    for a, b in zip(before, after, strict=True):
        assert {n: a[n] for n in SAME} == {n: b[n] for n in SAME}
        assert b["raw"] is None or ALL.masker.text(b["raw"].decode()) == b["raw"].decode()
        assert b["raw"] is None or (b"127.0.0.1" not in b["raw"] and b"localhost:" not in b["raw"])


@settings(max_examples=20, derandomize=True, deadline=None)
@given(
    forms=st.lists(st.sampled_from([text for _, text in FORMS]), min_size=1, max_size=12),
    cuts=st.sets(st.integers(1, 400)),
    block_bytes=st.integers(512, 2048),
)
def test_any_cut_and_block_gives_the_same_rows(forms: list[str], cuts: set[int], block_bytes: int) -> None:
    data = "".join(LINE.format(plain(form)) for form in forms).encode()
    cut = tuple(sorted(one for one in cuts if one < len(data)))
    settings_ = ReadSettings(block_bytes=block_bytes, masking=ALL)
    assert read_table(data, cuts=cut, settings=settings_, log="mixed").to_pylist() == rows(data)


@settings(max_examples=60, derandomize=True, deadline=None)
@given(
    st.lists(
        st.binary(max_size=40) | st.sampled_from([plain(text).encode() for _, text in FORMS]), max_size=8
    )
)
def test_any_bytes_keep_their_place_and_their_line_ends(pieces: list[bytes]) -> None:
    data = LINE.format("x").encode() + b"".join(pieces) + b"\n" + LINE.format("host=end").encode()
    before, after = rows(data, None), rows(data)
    places = ("byte_offset", "byte_length", "line_count")
    assert [[one[n] for n in places] for one in before] == [[one[n] for n in places] for one in after]
    assert sum(one["byte_length"] for one in after) == len(data)
    stored = [(one["raw"] or b"").count(b"\n") for one in after]
    assert stored == [(one["raw"] or b"").count(b"\n") for one in before]
    assert b"host=end" not in after[-1]["raw"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[GroupCoordinator 1]: Loading group metadata for ", " with generation 4"),
        ("[GroupCoordinator 1]: Stabilized group ", " generation 5 (__consumer_offsets-7) with 2 members"),
        ("[GroupCoordinator 1]: Group ", " with generation 5 is now empty (__consumer_offsets-7)"),
        (
            "[GroupCoordinator id=1 topic=__consumer_offsets partition=3] Loaded classic group ",
            " with 1 members.",
        ),
        (
            "[TransactionCoordinator id=1] Initialized transactionalId ",
            " with producerId 9 and producer epoch 0",
        ),
    ],
)
def test_groups_and_transactional_ids_are_masked_as_client_ids(before: str, after: str) -> None:
    text = ALL.masker.text(f"{before}pay roll-7{after}")
    assert re.fullmatch(re.escape(before) + "client-[0-9a-f]{12}" + re.escape(after), text)
