"""Masking on all real logs there are."""

from pathlib import Path

import pyarrow.compute as pc
import pytest

from pipeline.kafka.reading.reader import ReadSettings
from tests.kafka.masking import ALL, SAME
from tests.kafka.reading import read_table
from tests.oracle.corpus import logs

# Not 0.8.2.1, a release.
ADDRESS = r"(?:^|[^0-9.])[1-9][0-9]{0,2}(?:\.[0-9]{1,3}){3}(?:$|[^0-9.])"


@pytest.mark.soak
def test_the_corpus_says_the_same_masked_and_holds_no_address(shared: Path) -> None:
    for file in logs(shared / "corpus"):
        before = read_table(file.data, log=file.log)
        after = read_table(file.data, log=file.log, settings=ReadSettings(masking=ALL))
        assert before.select(SAME).equals(after.select(SAME)), file.path
        left = pc.match_substring_regex(after["raw"].drop_null(), ADDRESS)
        assert not pc.any(left).as_py(), file.path
