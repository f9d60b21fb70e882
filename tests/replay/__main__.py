"""`python -m tests.replay`: how many faults of simulated logs the audit finds, and how many findings are faults."""

import argparse

from tests.replay.scores import printed, table


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--seeds", type=int, default=3, help="clusters per release")
    given.add_argument("--days", type=float, default=1.0, help="days of each")
    arguments = given.parse_args()
    print(printed(table(range(arguments.seeds), arguments.days)))


if __name__ == "__main__":
    main()
