"""Where findings are sent to: a URL, of which nothing but scheme, host and port is ever shown."""

import base64
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from urllib.parse import SplitResult, unquote, urlsplit

from pipeline.core.errors import SettingsError

VARIABLE, ROUTING_KEY = "KCA_NOTIFY_URL", "KCA_NOTIFY_ROUTING_KEY"  # of the environment
PAGERDUTY = "https://events.pagerduty.com/v2/enqueue"
SCHEMES = ("http", "https")
KEY_DIGITS = 16
IN_URLS = re.compile(r"[!-~]+")  # visible characters of ASCII
IN_HOSTS = re.compile(r"[0-9A-Za-z._:-]+")
FORM = f"a URL such as https://hooks.example.com/... in --url or {VARIABLE}"


@dataclass(frozen=True)
class Destination:
    """shown: scheme, host and port. key: what is remembered of the URL, without user and password. headers: that follow
    from these."""

    url: str = field(repr=False)
    shown: str
    key: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


def destination_of(given: str | None, environ: Mapping[str, str] = os.environ) -> Destination | None:
    """What the option says, else the environment; None: neither does. SettingsError: it is no URL that can be used."""
    text = (environ.get(VARIABLE, "") if given is None else given).strip()
    if not text and given is None:
        return None
    parts = split_url(text)
    user, is_named, place = parts.netloc.rpartition("@")
    plain = parts._replace(netloc=place, fragment="").geturl()
    headers = {"Authorization": f"Basic {basic_credentials(user)}"} if is_named else {}
    key = sha256(plain.encode()).hexdigest()[:KEY_DIGITS]
    return Destination(plain, shown_place(parts), key, headers)


def split_url(text: str) -> SplitResult:
    """SettingsError: which part is wrong; never what it is."""
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise unusable_url_error("a host or port that is none") from None
    if not IN_URLS.fullmatch(text):
        raise unusable_url_error("nothing" if not text else "blanks or characters that are not ASCII")
    if parts.scheme not in SCHEMES:
        raise unusable_url_error("no scheme" if not parts.scheme else "another scheme than http or https")
    if not host or not IN_HOSTS.fullmatch(host):
        raise unusable_url_error("no host, or one that is none")
    return parts


def unusable_url_error(found: str) -> SettingsError:
    return SettingsError(expected=FORM, found=found, todo="give the whole URL; nothing was sent")


def basic_credentials(user: str) -> str:
    return base64.b64encode(unquote(user).encode()).decode("ascii")


def shown_place(parts: SplitResult) -> str:
    """Scheme, host, and the port where it is given."""
    host = f"[{parts.hostname}]" if ":" in str(parts.hostname) else parts.hostname
    return f"{parts.scheme}://{host}{f':{parts.port}' if parts.port is not None else ''}"


def shown_of(url: str) -> str | None:
    """The same of a URL that somebody else says; None: it has none that can be shown."""
    try:
        parts = urlsplit(url)
        host, shown = parts.hostname or "", shown_place(parts)
    except ValueError:
        return None
    return shown if parts.scheme in SCHEMES and IN_HOSTS.fullmatch(host) else None
