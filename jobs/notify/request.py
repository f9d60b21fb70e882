"""What `notify` is asked for: whose findings, to whom, in which form."""

import os
from argparse import Namespace
from dataclasses import dataclass, field
from hashlib import sha256

from jobs.notify.destination import (
    KEY_DIGITS,
    PAGERDUTY,
    ROUTING_KEY,
    VARIABLE,
    Destination,
    destination_of,
)
from pipeline.core.errors import SettingsError

FOR_NOBODY = "dry-run"  # what it would be for one that was never told anything


@dataclass(frozen=True)
class NotifyRequest:
    """What was asked for, for all clusters. destination: None in a dry run for nobody. routing_key: of PagerDuty."""

    warehouse: str
    destination: Destination | None
    form: str
    severity: str
    timeout: float
    is_dry: bool
    routing_key: str = field(default="", repr=False)

    @property
    def key(self) -> str:
        """Services of PagerDuty have one URL."""
        if self.destination is None:
            return FOR_NOBODY
        own = sha256(self.routing_key.encode()).hexdigest()[:KEY_DIGITS] if self.routing_key else ""
        return f"{self.destination.key}{own}"

    @property
    def shown(self) -> str:
        return self.destination.shown if self.destination else "nobody (no --url)"


def parse_notify_request(given: Namespace) -> NotifyRequest:
    """SettingsError: nobody is named to send it to. A key of PagerDuty goes where --url says, never where the variable
    does: that may be a chat's."""
    is_pagerduty = given.format == "pagerduty"
    key = os.environ.get(ROUTING_KEY, "").strip() if is_pagerduty else ""
    destination = destination_of(given.url, {} if is_pagerduty else os.environ)
    if destination is None and key:
        destination = destination_of(PAGERDUTY)
    if is_pagerduty and not key and not given.dry_run:
        raise SettingsError(
            expected=f"the key of a PagerDuty service (Events API v2) in {ROUTING_KEY} in the environment",
            found="none",
            todo="set it, or give --dry-run to see what would be sent",
        )
    if destination is None and not given.dry_run:
        raise SettingsError(
            expected=f"--url, or {VARIABLE} in the environment",
            found="neither",
            todo="give the URL of a webhook, or --dry-run to see what would be sent",
        )
    return NotifyRequest(
        given.warehouse, destination, given.format, given.severity, given.timeout, given.dry_run, key
    )
