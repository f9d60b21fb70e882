"""The arguments of `notify`; a URL among them is said by none of its errors."""

import argparse
import math
import re
from typing import NoReturn

from jobs.argument_types import parse_seconds
from jobs.layout import WIDTH_HELP
from jobs.notify.alert_forms import PROGRAMS
from jobs.notify.chat_forms import CHATS
from jobs.notify.destination import ROUTING_KEY, VARIABLE
from jobs.parser import Parser
from pipeline.store.runs.published import NOTIFIED
from schemas.gold.finding import SEVERITIES

FORMATS = (*CHATS, *PROGRAMS)
A_URL = re.compile(r"\S*:\S*/\S*")


class NotifyParser(Parser):
    def error(self, message: str) -> NoReturn:
        """A URL that stands at the wrong place is a secret there, too."""
        super().error(A_URL.sub("(a URL)", message))


def notify_parser() -> argparse.ArgumentParser:
    found = NotifyParser(
        prog="kafka-controller-audit notify",
        description="Sends findings that are new to a webhook or chat, each once; a message a cluster.",
        epilog=f"A URL is a secret: {VARIABLE} keeps it out of the list of processes. {WIDTH_HELP}",
    )
    found.add_argument(
        "--warehouse", default="warehouse", metavar="URI", help="folder of the Delta tables (warehouse)"
    )
    found.add_argument("--cluster", metavar="NAME", help="one cluster (all that the warehouse holds)")
    found.add_argument("--url", metavar="URL", help=f"where to (by {VARIABLE} in the environment)")
    found.add_argument(
        "--format",
        choices=FORMATS,
        default="slack",
        help=f"what takes it: a chat, or a program (slack); pagerduty: with its key in {ROUTING_KEY}",
    )
    found.add_argument(
        "--severity", choices=SEVERITIES, default="warning", help="the least that is sent (warning)"
    )
    found.add_argument(
        "--dry-run", action="store_true", help="prints what would be sent; sends and remembers nothing"
    )
    found.add_argument(
        "--fail",
        action="store_true",
        help="exit code 3 where the endpoint takes nothing, else that is said alone",
    )
    found.add_argument(
        "--timeout",
        type=parse_timeout_seconds,
        default=30.0,
        metavar="SECONDS",
        help="for a message, all tries together (30)",
    )
    found.add_argument(
        "--state",
        metavar="FILE",
        help=f"where is remembered what was sent ({NOTIFIED} beside each cluster's tables)",
    )
    return found


def parse_timeout_seconds(text: str) -> float:
    found = parse_seconds(text)
    if not 0 < found < math.inf:
        raise argparse.ArgumentTypeError(f"expected seconds above 0, found {text!r}")
    return found
