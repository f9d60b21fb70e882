"""A disk in one of its styles."""

from random import Random

from tests.life.disk import Disk
from tests.life.writers import Writer, made_up

STYLES = ("ident", "late", "wrong folder", "alike")


def disk_of(seed: int) -> Disk:
    random = Random(seed)  # noqa: S311  (a schedule, no secret)
    style = STYLES[seed % len(STYLES)]
    silent = random.randrange(1, 15) if style in ("late", "wrong folder") else 0
    alike = random.randrange(1, 4) if style == "alike" else 0
    writers: dict[str, Writer] = {}
    for number in range(random.choice((1, 2, 2, 3))):
        node_id = number + 1
        folder = node_id + 6 if style == "wrong folder" else node_id
        writers[f"broker-{folder}/controller.log"] = made_up(random, number, node_id, silent, alike)
    return Disk(random, writers, is_telling=style in ("alike", "wrong folder"))
