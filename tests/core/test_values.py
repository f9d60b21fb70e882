"""Texts of fields as numbers: what is none or too big is marked, and stops nothing."""

import pyarrow as pa
import pytest

from pipeline.core.values import parse_values

INT = pa.int32()
LIST = pa.list_(pa.field("element", INT, nullable=False))
CASES = [
    (INT, ["5", "-3", "", None], [5, -3, None, None], []),
    (INT, ["5-6", "x", "5"], [None, None, 5], [0, 1]),
    (INT, ["2147483648", "9" * 30, "2147483647"], [None, None, 2**31 - 1], [0, 1]),
    (LIST, ["3,1", "[4, 5]", "Set()", "", None], [[3, 1], [4, 5], [], [], None], []),
    (LIST, ["3-1,2", None, "4294967296", "7"], [None, None, None, [7]], [0, 2]),
]


@pytest.mark.parametrize(("kind", "texts", "expected", "wrong"), CASES)
def test_values(kind: pa.DataType, texts: list[str | None], expected: list[object], wrong: list[int]) -> None:
    values, is_wrong = parse_values(pa.array(texts, pa.string()), kind)
    assert values.to_pylist() == expected
    assert is_wrong.nonzero()[0].tolist() == wrong
