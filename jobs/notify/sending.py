"""Sends a document over HTTP: again where that may help, within a time, and to no other place than it is told."""

import re
import socket
import ssl
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from http import HTTPStatus
from http.client import HTTPException
from queue import Empty, SimpleQueue
from threading import Thread
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, HTTPSHandler, OpenerDirector, Request, build_opener

from jobs.notify.destination import Destination, shown_of
from pipeline.core.product import product_version

PAUSES = (1.0, 2.0, 4.0)  # seconds before another try
EACH_SECONDS = 10.0  # that one try may take
WORTH_A_RETRY = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS)
# What Slack says of a refusal, and services that take its form: any other word may hold a part of the URL.
# Source: Slack, "Incoming webhooks", handling errors, and the errors of chat.postMessage.
REASONS = frozenset(
    {
        *("action_prohibited", "channel_is_archived", "channel_not_found", "ekm_access_denied"),
        *("internal_error", "invalid_blocks", "invalid_blocks_format", "invalid_payload", "invalid_token"),
        *("missing_text_or_fallback_or_attachments", "no_active_hooks", "no_service", "no_service_id"),
        *("no_team", "no_text", "org_login_required", "posting_to_general_channel_denied", "rate_limited"),
        *("rollup_error", "team_disabled", "token_revoked", "too_many_attachments", "user_not_found"),
    }
)
LONGEST_REASON = max(map(len, REASONS))
OF_PROXY = re.compile(r"Tunnel connection failed: (\d{3})")


@dataclass(frozen=True)
class Reply:
    """Of one try, or of all. problem: what was found instead of a 2xx; None: it was taken. is_passing: it may go by
    itself. wait: seconds that the endpoint asked for."""

    problem: str | None = None
    is_passing: bool = False
    wait: float = 0.0
    tries: int = 1


class NoRedirect(HTTPRedirectHandler):
    """A redirect is an answer: what is sent goes to nobody else."""

    def redirect_request(self, *_: object, **__: object) -> None:
        return None


def send_with_retries(destination: Destination, document: bytes, key: str, timeout: float) -> Reply:
    """At most `timeout` seconds, all tries together. key: the same for the same content, so that whoever receives it
    may drop what comes twice."""
    until = time.monotonic() + timeout
    reply = send_within_seconds(min(timeout, EACH_SECONDS), destination, document, key)
    for tries, pause in enumerate(PAUSES, 2):
        wait = max(pause, reply.wait)
        left = until - time.monotonic() - wait
        if not reply.is_passing or left <= 0:
            break
        time.sleep(wait)
        reply = replace(send_within_seconds(min(left, EACH_SECONDS), destination, document, key), tries=tries)
    if reply.problem is None or reply.tries == 1:
        return reply
    return replace(reply, problem=f"{reply.problem}, the last of {reply.tries} tries")


def send_within_seconds(seconds: float, destination: Destination, document: bytes, key: str) -> Reply:
    """One try. What looks up names, or reads byte by byte, has no limit of its own."""
    replies: SimpleQueue[Reply] = SimpleQueue()
    one = partial(attempt_sending, destination, document, key, seconds)
    Thread(target=lambda: replies.put(one()), daemon=True).start()
    try:
        return replies.get(timeout=seconds)
    except Empty:
        return no_answer_reply(seconds)


def no_answer_reply(seconds: float) -> Reply:
    return Reply(f"no answer within {seconds:.1f} s", is_passing=True)


def attempt_sending(destination: Destination, document: bytes, key: str, seconds: float) -> Reply:
    headers = {
        "Content-Type": "application/json; charset=utf-8",
        "User-Agent": f"kafka-controller-audit/{product_version()}",
        "Idempotency-Key": f'"{key}"',
        **destination.headers,
    }
    request = Request(destination.url, document, headers, method="POST")  # noqa: S310  (http or https, see destination)
    try:
        with verifying_url_opener().open(request, timeout=max(seconds, 0.001)):
            return Reply()
    except HTTPError as refused:
        with refused:
            return refusal_reply(refused)
    except TimeoutError:
        return no_answer_reply(seconds)
    except URLError as problem:
        return no_connection(problem.reason, seconds)
    except (OSError, HTTPException, ValueError) as problem:
        return no_connection(problem, seconds)


def verifying_url_opener() -> OpenerDirector:
    """By the proxies of the environment, and with certificates that are verified."""
    return build_opener(HTTPSHandler(context=ssl.create_default_context()), NoRedirect)


def refusal_reply(refused: HTTPError) -> Reply:
    code = refused.code
    if 300 <= code < 400:
        place = shown_of(refused.headers.get("Location", ""))
        to = f" to {place}" if place else ""
        return Reply(f"a redirect ({code}){to}, which is not followed")
    known = {one.value: one.phrase for one in HTTPStatus}
    words = " ".join(filter(None, (str(code), known.get(code, ""), reason_in(refused))))
    is_passing = code in WORTH_A_RETRY or code >= 500
    return Reply(words, is_passing, seconds_of(refused.headers.get("Retry-After", "")) if is_passing else 0.0)


def reason_in(refused: HTTPError) -> str:
    """One of the words that are known, such as channel_is_archived."""
    try:
        said = refused.read(LONGEST_REASON + 1).decode("ascii", "replace").strip()
    except (OSError, HTTPException):
        return ""
    return f"({said})" if said in REASONS else ""


def seconds_of(retry_after: str) -> float:
    """Source: RFC 9110, 10.2.3: seconds, or a date."""
    text = retry_after.strip()
    if re.fullmatch(r"[0-9]{1,9}", text):
        return float(text)
    try:
        at = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return 0.0
    at = at.replace(tzinfo=UTC) if at.tzinfo is None else at
    return max((at - datetime.now(UTC)).total_seconds(), 0.0)


def no_connection(problem: object, seconds: float) -> Reply:
    """In words of the system or of our own: others may hold a part of the URL."""
    if isinstance(problem, TimeoutError):
        return no_answer_reply(seconds)
    if isinstance(problem, ssl.SSLError):
        reason = getattr(problem, "verify_message", "")
        is_untrusted = isinstance(problem, ssl.SSLCertVerificationError)
        return Reply(
            f"a certificate that is not trusted ({reason})" if is_untrusted else "no TLS on that port"
        )
    if proxy := OF_PROXY.match(str(problem)):
        return Reply(f"a proxy that answers {proxy[1]}", is_passing=int(proxy[1]) >= 500)
    known = problem.strerror if isinstance(problem, OSError) else None
    is_name = isinstance(problem, socket.gaierror)
    odd = f"no answer in HTTP ({type(problem).__name__})"
    return Reply("no address of that name" if is_name else known or odd, is_passing=True)
