"""Loggers that a layout prints in part or not at all: told by the name and, where that does not do, by the message."""

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.texts import Mask, scatter_values
from pipeline.kafka.layout.conversion_pattern import NO_LOGGER
from pipeline.kafka.wording.loggers import full_names
from pipeline.kafka.wording.templates import matcher_of_texts, template_matcher, wording_loggers


def resolve_loggers(printed: pa.Array, message: pa.Array, form: str) -> tuple[pa.Array, pa.Array]:
    """By record the logger as far as it is told, and one of which the wordings are tried.

    form: as Layout has it. Where none is printed, the wording of any logger that fixes most of the message tells it;
    null where there is none, or one of several events. Of several loggers of one short name that one counts of which
    the message is a wording. Where several print the same (a class was moved between packages) it stays as printed,
    as the releases of one of them would be taken for those of the node; what they say is the same.
    """
    if form == NO_LOGGER:
        return _by_message(message)
    coded = printed.dictionary_encode()
    shown = coded.dictionary.to_pylist()
    found = [full_names(name, template_matcher().sources, form) for name in shown]
    names = [some[-1] if some else name for name, some in zip(shown, found, strict=True)]
    told = tried = pa.array(names, pa.string()).take(coded.indices)
    codes = pc.fill_null(coded.indices, -1).to_numpy(zero_copy_only=False)
    is_whole = message.is_valid().to_numpy(zero_copy_only=False)
    for place, some in enumerate(found):
        is_asked = codes == place
        if len(some) > 1 and is_asked.any():
            told = pc.if_else(pa.array(is_asked), shown[place], told)
            told, tried = _among(told, tried, is_asked & is_whole, message, some)
    return told, tried


def _by_message(message: pa.Array) -> tuple[pa.Array, pa.Array]:
    rows = np.flatnonzero(message.is_valid().to_numpy(zero_copy_only=False))
    of_all = matcher_of_texts()
    number = of_all.match(pa.repeat(pa.scalar(""), len(rows)), message.take(pa.array(rows))).template
    loggers = [wording_loggers().get(one.text, ()) for one in of_all.templates]
    told = [names[0] if len(names) == 1 else None for names in loggers]
    tried = [names[-1] if names else None for names in loggers]
    is_none = pa.array(number, mask=number < 0)
    columns = (pa.array(names, pa.string()).take(is_none) for names in (told, tried))
    first, second = (scatter_values(column, rows, len(message)) for column in columns)
    return first, second


def _among(
    told: pa.Array, tried: pa.Array, is_asked: Mask, message: pa.Array, names: list[str]
) -> tuple[pa.Array, pa.Array]:
    """With that of the names in the rows asked for that prints most of the message."""
    texts = message.filter(pa.array(is_asked))
    if not len(texts):
        return told, tried
    fixed = np.stack([_fixed(name, texts) for name in names])
    most = fixed.max(axis=0)
    best = pa.array(names, pa.string()).take(pa.array(fixed.argmax(axis=0)))
    is_one = np.zeros(len(message), np.bool_)
    is_one[is_asked] = one = ((fixed == most).sum(axis=0) == 1) & (most >= 0)
    tried = pc.replace_with_mask(tried, pa.array(is_asked), best)
    return pc.replace_with_mask(told, pa.array(is_one), best.filter(pa.array(one))), tried


def _fixed(name: str, texts: pa.Array) -> npt.NDArray[np.int64]:
    """How many characters the logger's wording of each text fixes, -1 where it is none."""
    number = template_matcher().match(pa.repeat(pa.scalar(name), len(texts)), texts).template
    lengths = np.array([*(one.literal_length for one in template_matcher().templates), -1])
    return lengths[np.where(number >= 0, number, -1)]
