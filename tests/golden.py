"""Makes the golden warehouse: `python -m tests.golden`. Tests that need a small warehouse unpack it.

Until the first release is published it is made anew where a table changes. From then on the one of each format is kept
as it was written, so that every later release proves that it reads and continues it.
"""

import os
import shutil
import sys
import tarfile
from pathlib import Path
from tempfile import gettempdir

REPOSITORY = Path(__file__).resolve().parents[1]
GOLDEN = REPOSITORY / "tests" / "data" / "golden.tar.xz"
CLUSTER = "golden"
Lines = dict[str, int | None]
BEGUN: Lines = {"broker-1/controller.log": 6}
WHOLE: Lines = {"broker-1/controller.log": None, "broker-1/state-change.log": 6, "broker-3/controller.log": 2}
WHOLE |= {"broker-3/state-change.log": None}


def main() -> int:
    """Two runs over a few lines: the second finds a file that has grown."""
    from jobs import nightly  # noqa: PLC0415

    work = Path(gettempdir()) / "kafka-controller-audit-golden"
    shutil.rmtree(work, ignore_errors=True)
    given = ["--logs", str(work / "logs"), "--warehouse", str(work / "warehouse"), "--cluster", CLUSTER]
    os.environ["KCA_QUIET_SECONDS"] = "0"
    for lines in (BEGUN, WHOLE):
        write_logs(work / "logs", lines)
        if code := nightly.main(given):
            return code
    with tarfile.open(GOLDEN, "w:xz", preset=9) as archive:
        archive.add(work / "warehouse", "warehouse", filter=anonymous)
    print(f"{GOLDEN}: {GOLDEN.stat().st_size:,} bytes")
    return 0


def write_logs(folder: Path, lines: Lines) -> None:
    """The first lines of the story that the tests of gold tell."""
    from tests.gold.conftest import LOGS  # noqa: PLC0415

    for path, count in lines.items():
        node, log = path.removesuffix(".log").removeprefix("broker-").split("/")
        told = [line.strip() for line in LOGS[int(node), log].strip().splitlines()][:count]
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("".join(f"{line}\n" for line in told))


def anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def unpacked(folder: Path) -> Path:
    """The warehouse, put below the folder."""
    with tarfile.open(GOLDEN) as archive:
        # Not every Python 3.11 has filters; where there are none, nothing looks at it.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(folder)  # noqa: S202
    return folder / "warehouse"


if __name__ == "__main__":
    sys.exit(main())
