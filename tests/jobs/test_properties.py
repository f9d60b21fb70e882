"""Java's format of properties: what a broker would read, and nothing but the keys asked for."""

import pytest

from jobs.settings.java_properties import parse_java_properties

KEY = "leader.imbalance.per.broker.percentage"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=1", "1"),
        ("a = 1", "1"),
        ("a:1", "1"),
        ("a : 1", "1"),
        ("a 1", "1"),
        ("  \t a\t=\t1  \t", "1"),
        ("a==1", "=1"),
        ("a", ""),
        ("a=", ""),
        ("#a=1", None),
        ("  ! a=1", None),
        ("b=1\n# a=1\\\na=2", "2"),
        ("a=1\na=2", "2"),
        ("a=1\nb=3\r\na=2\rc=4", "2"),
        ("a=1\\\n   0", "10"),
        ("a=1\\\r\n0", "10"),
        ("a=1\\\\\n0", "1\\"),
        ("a=1\\", "1"),
        ("a=1\\\n", "1"),
        ("b=x\\\na=1", None),
        ("b=x\\\n#a=1\na=2", "2"),
        (r"\u0061=\u0031\t0", "1\t0"),
        (r"\a=\q", "q"),
        (r"a\=1=2", None),
        ("a b=1", "b=1"),
        ("\n\n\n", None),
        ("a=ü", "ü"),
    ],
)
def test_what_a_key_says(text: str, expected: str | None) -> None:
    assert parse_java_properties(text.encode("latin-1"), {"a"}).get("a") == expected


def test_nothing_else_is_taken() -> None:
    data = f"ssl.keystore.password=hidden\n{KEY}=5\nx={KEY}=6\n".encode()
    assert parse_java_properties(data, {KEY}) == {KEY: "5"}


def test_bytes_of_any_kind_are_read() -> None:
    assert parse_java_properties(bytes(range(256)) + b"\na=1\n", {"a"}) == {"a": "1"}
