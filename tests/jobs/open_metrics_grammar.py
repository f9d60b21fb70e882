"""The text format of OpenMetrics 1.0 as far as gauges need it, strictly."""

import re

NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
HELP = re.compile(rf"# HELP ({NAME}) (?:[^\\\n]|\\[\\n\"])*")
TYPE = re.compile(rf"# TYPE ({NAME}) gauge")
SAMPLE = re.compile(rf"({NAME})\{{({LABEL}(?:,{LABEL})*)\}} (NaN|-?\d+(?:\.\d+)?) (\d+(?:\.\d+)?)")


def series_of(text: str) -> dict[tuple[str, str], list[tuple[float, str]]]:
    """By name and labels the samples (time, value). AssertionError: something is not as the format asks."""
    assert text.endswith("\n# EOF\n"), "# EOF and a line feed end it"
    found: dict[tuple[str, str], list[tuple[float, str]]] = {}
    families: list[str] = []
    previous: tuple[str, str] | None = None
    lines = text.removesuffix("# EOF\n").splitlines()
    for number, line in enumerate(lines):
        if named := HELP.fullmatch(line):
            assert named[1] not in families, f"{named[1]} is interleaved"
            families.append(named[1])
        elif named := TYPE.fullmatch(line):
            assert families[-1] == named[1] and lines[number - 1].startswith("# HELP"), line
        else:
            sample = SAMPLE.fullmatch(line)
            assert sample, line
            assert sample[1] == families[-1], f"a sample of {sample[1]} among those of {families[-1]}"
            own = sample[1], sample[2]
            assert own == previous or own not in found, f"{own} is interleaved"
            samples = found.setdefault(own, [])
            assert not samples or samples[-1][0] < float(sample[4]), f"times of {own} do not ascend"
            samples.append((float(sample[4]), sample[3]))
            previous = own
    return found
