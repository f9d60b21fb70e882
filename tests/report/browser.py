"""A headless Chromium that is told what to do over a pipe (the DevTools protocol), where one is installed."""

import json
import os
import shutil
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
SECONDS = 60
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe")


def installed() -> str | None:
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One page of it. told: messages that came unasked, as that a dialog opened or a policy was broken."""

    def __init__(self, program: str, folder: Path) -> None:
        (taken, self.writes), (self.reads, given) = os.pipe(), os.pipe()
        # The browser reads from 3 and writes into 4.
        command = f'exec "$0" "$@" 3<&{taken} 4>&{given}'
        words = [program, *FLAGS, f"--user-data-dir={folder}"]
        self.process = subprocess.Popen(
            ["bash", "-c", command, *words],
            pass_fds=(taken, given),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(taken)
        os.close(given)
        self.number, self.rest, self.told = 0, b"", list[dict[str, Any]]()
        self.session: str | None = None

    def __enter__(self) -> Self:
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for one in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{one}.enable")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(AssertionError, OSError):
            self.ask("Browser.close")
        try:
            self.process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.writes)
        os.close(self.reads)

    def ask(self, method: str, **given: Any) -> dict[str, Any]:
        self.number += 1
        message: dict[str, Any] = {"id": self.number, "method": method, "params": given}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.writes, json.dumps(message).encode() + b"\0")
        while True:
            found = self.received()
            if found.get("id") == self.number:
                assert "error" not in found, found
                answer: dict[str, Any] = found["result"]
                return answer

    def received(self) -> dict[str, Any]:
        while b"\0" not in self.rest:
            more = os.read(self.reads, 1 << 20)
            assert more, "the browser has ended"
            self.rest += more
        one, _, self.rest = self.rest.partition(b"\0")
        found: dict[str, Any] = json.loads(one)
        if "id" not in found:
            self.told.append(found)
        return found

    def open(self, address: str, width: int = 1280) -> None:
        """Another page, or the same at another #place."""
        self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False
        )
        self.ask("Page.navigate", url=address)
        end = time.monotonic() + SECONDS
        while self.value("document.readyState") != "complete":
            assert time.monotonic() < end, "the page is not loaded"

    def value(self, expression: str, *, is_awaited: bool = False) -> Any:
        found = self.ask(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=is_awaited
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def drag(self, begin: tuple[float, float], end: tuple[float, float]) -> None:
        for kind, (x, y) in (("mousePressed", begin), ("mouseMoved", end), ("mouseReleased", end)):
            self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)

    def touch(self, begin: tuple[float, float], end: tuple[float, float]) -> None:
        for kind, place in (("touchStart", begin), ("touchMove", end), ("touchEnd", None)):
            points = [] if place is None else [{"x": place[0], "y": place[1]}]
            self.ask("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    def methods(self) -> set[str]:
        return {str(one["method"]) for one in self.told}
