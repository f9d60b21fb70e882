"""A server that keeps what is sent to it and answers as it is told."""

import json
import os
import signal
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SECRET = "T00SECRET/B00SECRET"  # noqa: S105  (of nobody)
LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Answer:
    """seconds: before it. kills: the process that is killed instead of it."""

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: str = ""
    seconds: float = 0.0
    kills: bool = False


@dataclass(frozen=True)
class Received:
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Endpoint(ThreadingHTTPServer):
    """answers: one after the other, then the last one for good."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__((LOOPBACK, 0), Handler)
        self.received: list[Received] = []
        self.answers = [Answer()]
        self.victim = 0

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.server_port}/services/{SECRET}"

    @property
    def shown(self) -> str:
        return f"http://{LOOPBACK}:{self.server_port}"

    def next_answer(self) -> Answer:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


class Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.received.append(Received(self.path, dict(self.headers), body))
        answer = self.server.next_answer()
        if answer.kills:
            os.kill(self.server.victim, signal.SIGKILL)
            return
        time.sleep(answer.seconds)
        self.send_response(answer.status)
        for name, value in answer.headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.body.encode())

    def log_message(self, *_: object) -> None:
        """Tests look at what was received."""
