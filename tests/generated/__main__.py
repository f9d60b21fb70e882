"""Writes logs of a simulated cluster, and beside them what is true of it."""

import argparse
import sys
import time
from pathlib import Path

from tests.generated.plan import Plan
from tests.generated.sizes import planned
from tests.generated.writing import write_logs


def main() -> int:
    given = arguments()
    began = time.perf_counter()
    sized = Plan(given.mode, given.seed, given.brokers, given.topics, given.partitions)
    plan = planned(round(given.gb * 1e9), sized, given.days)
    write_logs(plan, given.folder)
    size = sum(one.stat().st_size for one in (given.folder / "logs").rglob("*") if one.is_file())
    print(f"{plan}\n{size / 1e6:,.0f} MB in {time.perf_counter() - began:.0f} s in {given.folder}")
    return 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.generated", description=__doc__)
    parser.add_argument("folder", type=Path, help="gets logs/ and truth/")
    add_options(parser)
    parser.add_argument("--gb", type=float, default=0.3, help="about so many GB of logs (%(default)s)")
    return parser.parse_args()


def add_options(parser: argparse._ActionsContainer) -> None:
    """What a cluster is like."""
    parser.add_argument("--mode", choices=("zk", "kraft"), default="zk")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--brokers", type=int, default=6)
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--partitions", type=int, default=3000)
    parser.add_argument("--days", type=float, default=0, help="spread over so many (as few as it takes)")


if __name__ == "__main__":
    sys.exit(main())
