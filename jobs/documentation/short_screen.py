"""The first screen, shortened for the front page."""

import re

FINDING = re.compile(r"^(?:CRIT|WARN|INFO) ", re.M)
SHOWN_FINDINGS = 2
KEPT = ("VERDICT", "CRIT", "WARN", "OUTAGE", "BROKER")


def short_screen(document: str) -> str:
    """From the document with the whole screen between its markers: the blocks that are asked for first, of findings the
    first two, of outages the sum. ValueError: no screen is in it."""
    found = re.search(
        r"<!-- first-screen:start -->\n```\n(.*?)```\n<!-- first-screen:end -->", document, re.S
    )
    if found is None:
        raise ValueError("no first screen between its markers")
    lines: list[str] = []
    for block in found[1].split("\n\n"):
        if any(re.search(rf"^{word}\b", block, re.M) for word in KEPT):
            lines += [*strip_block_end(block).split("\n"), ""]
        elif lines and lines[-2].strip() != "...":
            lines += ["...", ""]
    return "\n".join(["```", *lines[:-1], "```"])


def strip_block_end(block: str) -> str:
    starts = [one.start() for one in FINDING.finditer(block)]
    if len(starts) > SHOWN_FINDINGS:
        return block[: starts[SHOWN_FINDINGS]] + "..."
    if block.startswith("OUTAGE"):
        sum_and_first = block.split("\n")[:4]
        return "\n".join([*sum_and_first, "       ..."])
    return block.rstrip("\n")
