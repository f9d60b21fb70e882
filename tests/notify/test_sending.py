"""What urllib is asked for: certificates are verified, proxies are those of the environment, waits are bounded."""

import shutil
import ssl
import subprocess
import threading
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from jobs.notify.destination import Destination, destination_of
from jobs.notify.sending import Reply, seconds_of, send_with_retries
from tests.notify.endpoint import LOOPBACK, Answer, Endpoint


def to(url: str) -> Destination:
    found = destination_of(url)
    assert found is not None
    return found


def sent(url: str, timeout: float = 5) -> Reply:
    return send_with_retries(to(url), b"{}", "k", timeout)


def test_a_certificate_of_nobody_is_refused(endpoint: Endpoint, tmp_path: Path) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("no openssl here")
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    words = f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN={LOOPBACK} -addext subjectAltName=IP:{LOOPBACK}"
    subprocess.run([*words.split(), "-keyout", key, "-out", cert], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    endpoint.socket = context.wrap_socket(endpoint.socket, server_side=True)
    url = endpoint.url.replace("http:", "https:")
    assert sent(url).problem == "a certificate that is not trusted (self-signed certificate)"
    assert not endpoint.received
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(cert))
        assert sent(url) == Reply() and len(endpoint.received) == 1


def test_proxies_are_those_of_the_environment(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = f"http://{LOOPBACK}:{endpoint.server_port}"
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    monkeypatch.setenv("http_proxy", proxy)
    assert sent("http://hooks.example.com/x").problem is None
    assert endpoint.received[0].path == "http://hooks.example.com/x"
    # It knows no CONNECT: nothing is sent around it.
    assert sent("https://hooks.example.com/x").problem == "a proxy that answers 501, the last of 4 tries"
    assert len(endpoint.received) == 1


def test_what_is_asked_for_is_waited_for_within_the_time(endpoint: Endpoint) -> None:
    endpoint.answers = [Answer(503, (("Retry-After", "1"),)), Answer()]
    begun = time.monotonic()
    assert sent(endpoint.url) == Reply(tries=2)
    assert time.monotonic() - begun > 1
    endpoint.answers = [Answer(503, (("Retry-After", "6"),))]
    assert sent(endpoint.url) == Reply("503 Service Unavailable", is_passing=True, wait=6.0)


def test_retry_after_is_seconds_or_a_date() -> None:
    later = datetime.now(UTC) + timedelta(seconds=100)
    assert 90 < seconds_of(format_datetime(later, usegmt=True)) <= 100
    far = ("Wed, 21 Oct 99999999999 07:28:00 GMT", "21 Oct 2999 99999999999999:28:00 GMT")
    assert [seconds_of(one) for one in far] == [0.0, 0.0]
    odd = ("", "-1", "1.5", "soon", "9" * 5000, "Wed, 21 Oct 2015 07:28:00 GMT", "٣")
    assert seconds_of(" 7 ") == 7 and [seconds_of(one) for one in odd] == [0.0] * len(odd)


def test_drop_by_drop_takes_no_longer(endpoint: Endpoint) -> None:
    """Each byte comes in time, the answer never."""

    def drip(connection: object) -> None:
        with suppress(OSError):
            for _ in range(40):
                time.sleep(0.05)
                connection.sendall(b"H")  # type: ignore[attr-defined]

    def accept() -> None:
        connection, _ = endpoint.socket.accept()
        drip(connection)

    endpoint.shutdown()
    threading.Thread(target=accept, daemon=True).start()
    begun = time.monotonic()
    assert sent(endpoint.url, 0.5).problem == "no answer within 0.5 s"
    assert time.monotonic() - begun < 1.5


def test_what_is_no_http_and_names_that_are_none_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for host in ("no-such-host.invalid", f"{'a' * 70}.example.com"):
        problem = sent(f"http://{host}/SECRET").problem
        assert problem is not None and "SECRET" not in problem and problem.endswith("the last of 4 tries")


def test_user_and_password_go_into_a_header(endpoint: Endpoint) -> None:
    url = endpoint.url.replace("://", "://me:p%40ss@")
    assert sent(url).problem is None
    assert endpoint.received[0].headers["Authorization"] == "Basic bWU6cEBzcw=="
    told = to(url)
    assert "p%40ss" not in repr(told) + told.shown and told.shown == endpoint.shown
    assert told.key == to(endpoint.url).key != to(f"{endpoint.url}x").key
