"""Whether texts are what a pattern admits; a text that was found good once is not looked at again."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.texts import Mask

ANYTHING = frozenset({".*", ".*?"})
KEPT = 20_000


class Checker:
    """Remembers up to KEPT good texts a pattern; one a process."""

    def __init__(self) -> None:
        self._good: dict[str, set[str]] = {}

    @staticmethod
    def is_free(pattern: str) -> bool:
        """Whether the pattern admits any text."""
        return pattern in ANYTHING

    def check(self, pattern: str, texts: pa.Array) -> Mask | None:
        """Where a text (null: good) does not match the whole RE2 pattern; None if all do."""
        if self.is_free(pattern):
            return None
        coded = texts.dictionary_encode()
        good = self._good.setdefault(pattern, set())
        unseen = [text for text in coded.dictionary.to_pylist() if text not in good]
        if not unseen:
            return None
        holds = pc.match_substring_regex(pa.array(unseen, pa.string()), rf"(?s)\A(?:{pattern})\z")
        if len(good) > KEPT:
            good.clear()
        good.update(pa.array(unseen, pa.string()).filter(holds).to_pylist())
        bad = {text for text in unseen if text not in good}
        if not bad:
            return None
        is_bad = np.array([text in bad for text in coded.dictionary.to_pylist()] + [False])
        indices = pc.fill_null(coded.indices, len(coded.dictionary)).to_numpy(zero_copy_only=False)
        result: Mask = is_bad[indices]
        return result
