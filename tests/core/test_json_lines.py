"""Columns of JSON lines: what Python's own reader says, whatever stands between them."""

import json
from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.core.json_lines import json_columns

TYPES = {
    "a": pa.string(),
    "a.b": pa.string(),
    "outer/inner": pa.string(),
    "outer/deep/n": pa.int64(),
    "t": pa.int64(),
}
VALUES = st.sampled_from(["", "x", 'q"\\\n\t', "ü€😀", 7, -1, 2.5, True, None, [1], {"inner": "i"}])
OBJECTS = st.dictionaries(st.sampled_from(["a", "a.b", "t", "other"]), VALUES, max_size=4) | st.builds(
    lambda inner, n: {"outer": {"inner": inner, "deep": {"n": n}}}, VALUES, VALUES
)
LINES = OBJECTS.map(json.dumps) | OBJECTS.map(lambda one: json.dumps(one, ensure_ascii=False)) | st.sampled_from(
    ["", "[1]", "5", '{"a":', '{"a":"x"} y', '{"a":"x"}{"a":"y"}', '{"a":"\\ud800"}', '{"a":"x","a":"z"}', "x" * 300]
)  # fmt: skip


def expected(line: str, path: str) -> Any:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    for key in path.split("/"):
        found = found.get(key) if isinstance(found, dict) else None
    wanted = int if path.endswith(("n", "t")) and path != "outer/inner" else str
    if isinstance(found, bool) or not isinstance(found, wanted):
        return None
    return found.replace("\ud800", "\ufffd") if isinstance(found, str) else found


def is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


@settings(max_examples=200, deadline=None, derandomize=True)
@given(lines=st.lists(LINES, max_size=6), copies=st.sampled_from([1, 30]))
def test_lines_say_what_python_reads(lines: list[str], copies: int) -> None:
    lines = lines * copies
    columns, good = json_columns(pa.array(lines, pa.string()), TYPES)
    assert good.tolist() == [is_object(line) for line in lines]
    for path, kind in TYPES.items():
        assert columns[path].type == kind
        assert columns[path].to_pylist() == [expected(line, path) for line in lines], path
