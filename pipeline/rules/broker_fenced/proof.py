"""The proof of broker_fenced, from its records alone."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.proof import Claim, ProofLine, require_lasted, require_proof

SILENT = re.compile(r"Fencing broker (\d+)(?: at epoch (\d+))? because its session has timed out")
CHANGED = re.compile(r"handleBrokerFenced: changing (\d+) partition")
BACK = re.compile(
    r"The request from broker (\d+) to unfence has been granted .*broker record (\d+)"
    r"|\[BrokerLifecycleManager id=(\d+)\b.*The broker has been unfenced"
)
REGISTERED = re.compile(r"RegisterBrokerRecord\(brokerId=(\d+),.* brokerEpoch=(\d+)")


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    broker, count = claim.text("broker_id"), claim.known_number("changed_count")
    fences = [line for line in lines if is_about_broker(SILENT, line, broker)]
    require_proof(
        len(fences) == 1, f"{len(fences)} records say that broker {broker} is fenced, as it was not heard"
    )
    fenced_at = fences[0].at()
    require_proof(claim.valid_from_at == fenced_at, f"it was fenced at {fenced_at}")
    changed = [int(found[1]) for line in lines if (found := CHANGED.search(line.text))]
    require_proof(changed == ([] if count is None else [count]), f"the records say that it changed {changed}")
    lasted_ms = claim.known_number("lasted_ms")
    if lasted_ms is None:
        require_proof(claim.valid_until_at in (None, fenced_at), "it carries no fact lasted_ms")
        return f"fenced {fenced_at}; that it was not unfenced no record shows"
    back = [line for line in lines if is_about_broker(BACK, line, broker) and line.at() > fenced_at]
    require_proof(len(back) == 1, f"{len(back)} records say that broker {broker} is unfenced behind that")
    require_proof(claim.valid_until_at == back[0].at(), f"it was unfenced at {back[0].at()}")
    require_lasted(fenced_at, back[0].at(), lasted_ms)
    require_process(claim, lines, broker, back[0])
    return f"fenced {fenced_at}, unfenced {back[0].at()}"


def require_process(claim: Claim, lines: Sequence[ProofLine], broker: str, back: ProofLine) -> None:
    """The registration with which it was unfenced is one that it had before, or one of behind the fence. That line says
    where its record stands: at its epoch, or behind it."""
    told, epoch = claim.known("is_same_process"), epoch_of(BACK, back, broker)
    if told is None:
        return
    before = [line for line in lines if line.at() <= claim.valid_from_at]
    had = {epoch_of(one, line, broker) for line in before for one in (SILENT, BACK)} - {None}
    require_proof(told in ("true", "false"), "is_same_process is true or false")
    require_proof(
        epoch is not None and (told == "true") is (epoch in had), f"it was unfenced as registered by {epoch}"
    )
    behind = {epoch_of(REGISTERED, line, broker) for line in lines if line.at() >= claim.valid_from_at}
    require_proof(
        told == "true" or any(one is not None and int(one) <= int(epoch or -1) for one in behind),
        f"no record says that another process of broker {broker} registered",
    )


def is_about_broker(pattern: re.Pattern[str], line: ProofLine, broker: str) -> bool:
    found = pattern.search(line.text)
    return found is not None and broker in (found[1], found[3] if pattern is BACK else None)


def epoch_of(pattern: re.Pattern[str], line: ProofLine, broker: str) -> str | None:
    """Of the registration that the line names of this broker."""
    return pattern.search(line.text)[2] if is_about_broker(pattern, line, broker) else None  # type: ignore[index]  # it was found
