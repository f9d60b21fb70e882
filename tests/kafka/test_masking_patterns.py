"""Patterns of masking: a user's own, those of the table, and what they do to paths."""

import re

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.kafka.facts import read_fact_table
from pipeline.kafka.reading.masking import KINDS, SHAPES, TOKENS, Masking, mask_rules, pattern_problem
from tests.kafka.masks import is_masked, plain

KEY = b"a key of the tests"
ALL = Masking(KINDS, (), KEY)


def of(*kinds: str) -> Masking:
    return Masking(kinds, (), KEY)


def test_own_patterns_come_first_and_may_share_a_kind() -> None:
    own = Masking(("hosts",), (("host", r"[\w-]+\.corp\b"), ("topic", "secret-[a-z]+")), KEY)
    found = own.masker.text("bkr.corp is down, host=bkr.corp:9092, partition secret-payments-0")
    host = own.masker.token("host", b"bkr.corp").decode()
    topic = own.masker.token("topic", b"secret-payments").decode()
    assert found == f"{host} is down, host={host}:9092, partition {topic}-0"


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("(", "an RE2 pattern"),
        (r"(?=x)", "an RE2 pattern"),
        ("x*", "neither nothing nor a line end"),
        (r"[^x]", "neither nothing nor a line end"),
        ("(a)b", "without groups"),
        ("(?P<a>b)", "without groups"),
    ],
)
def test_a_pattern_that_cannot_be_used_is_said(pattern: str, said: str) -> None:
    assert said in str(pattern_problem(pattern))
    assert pattern_problem(r"(?i:a)\(b\)") is None


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/logs/broker-1/controller.log.2024-03-01-10.gz", "/logs/broker-1/controller.log.2024-03-01-10.gz"),
        ("/kafka_2.13-3.9.1/logs/state-change.log", "/kafka_2.13-3.9.1/logs/state-change.log"),
        ("/logs/«kafka-1.corp.example»/controller.log", None),
        ("/«a.example»/«b.example»/controller.log", None),
        ("/logs/«kafka-1.corp.example»-controller.log.1", None),
        ("/logs/«10.1.2.3»/controller.log", None),
        ("s3a://bucket/«h.example»/server.log", None),
        ("controller.log", "controller.log"),
    ],
)
def test_hosts_and_addresses_in_paths(path: str, expected: str | None) -> None:
    found = ALL.path(plain(path))
    assert found == expected if expected else is_masked(path, found), found
    assert ALL.path(found) == found
    assert of("principals").path(plain(path)) == plain(path)


@settings(max_examples=200, derandomize=True, deadline=None)
@given(st.lists(st.text("ab.1-/_", min_size=1, max_size=20), min_size=2, max_size=2, unique=True))
def test_different_paths_stay_different(paths: list[str]) -> None:
    one, other = (ALL.path(path) for path in paths)
    assert one != other


def test_neither_the_key_nor_a_pattern_is_shown() -> None:
    masking = Masking(("hosts",), (("host", "hidden-pattern"),), KEY)
    assert "hidden" not in repr(masking) and "key" not in repr(masking)


def test_rows_of_the_table_are_whole() -> None:
    for row in read_fact_table("reading/masks.tsv"):
        assert row["kind"] in TOKENS and row["shape"] in SHAPES and row["printed"]
        re.compile(row["unless"])
    used = {row["shape"] for row in read_fact_table("reading/masks.tsv")}
    assert used == set(SHAPES)
    for kind in KINDS:
        for rule in mask_rules(kind):
            marked = pa.array([b""]).cast(pa.binary())
            with pytest.raises(pa.ArrowInvalid, match="4"):
                pc.replace_substring_regex(marked, rule.pattern, r"\4")
            assert pattern_problem(f"x{rule.secret}") is None
