"""Arguments of a command: what is wrong with them is said in one line."""

import argparse
from typing import NoReturn

from jobs.text import printable_line

HINT = " (--help says what it takes)"


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{printable_line(f'{self.prog}: error: {message}')}{HINT}\n")
