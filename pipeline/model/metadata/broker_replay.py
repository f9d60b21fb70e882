"""Brokers of the metadata log: registrations in the order of their offsets, and the judgement of each move."""

from dataclasses import dataclass, field, replace
from typing import Any

from pipeline.kafka.machines.registrations import (
    ACTIVE,
    BROKER_REGISTRATION,
    FENCED,
    GONE,
    NONE,
    registration_machines,
)
from pipeline.kafka.metadata_log.segment import MetadataRecord
from pipeline.model.metadata.states import (
    BrokenRule,
    BrokerRegistration,
    Judgements,
    PartitionKey,
    RegistrationMove,
    registration_state,
)

VALID, ILLEGAL, GAP = "valid", "illegal", "gap"


@dataclass
class BrokerReplay:
    """`brokers`: at the end; `registrations`: all states there were, in order; `judged`: moves of both machines."""

    brokers: dict[int, BrokerRegistration] = field(default_factory=dict)
    registrations: list[BrokerRegistration] = field(default_factory=list)
    judged: Judgements = field(default_factory=Judgements)
    _is_base: bool = False

    def _register(self, record: MetadataRecord, said: dict[str, Any]) -> None:
        new = BrokerRegistration(
            said["brokerId"],
            "",
            said["brokerEpoch"],
            said["incarnationId"],
            said.get("rack"),
            said.get("fenced", True),
            said.get("inControlledShutdown", False),
            record.at_ms,
            record.offset,
            record.epoch,
            is_registered=True,
        )
        self._enter_broker(new, record)

    def _change_broker(self, record: MetadataRecord, said: dict[str, Any]) -> None:
        self._check_epoch(said["brokerId"], said["brokerEpoch"], record)
        old = self._broker(said["brokerId"], said["brokerEpoch"])
        fenced, stopping = said.get("fenced", 0), said.get("inControlledShutdown", 0)
        is_fenced = {1: True, -1: False}.get(fenced, old.is_fenced)
        is_stopping = True if stopping == 1 else old.is_stopping
        self._enter_broker(self._next(old, record, is_fenced=is_fenced, is_stopping=is_stopping), record)

    def _fence_broker(self, record: MetadataRecord, said: dict[str, Any]) -> None:
        self._check_epoch(said["id"], said["epoch"], record)
        old = self._broker(said["id"], said["epoch"])
        is_fenced = record.name == "FENCE_BROKER_RECORD"
        self._enter_broker(self._next(old, record, is_fenced=is_fenced, is_stopping=False), record)

    def _unregister(self, record: MetadataRecord, said: dict[str, Any]) -> None:
        self._check_epoch(said["brokerId"], said["brokerEpoch"], record)
        old = self._broker(said["brokerId"], said["brokerEpoch"])
        self._judge(BROKER_REGISTRATION, old.broker_id, old.state or None, GONE, record)
        gone = replace(self._next(old, record, is_fenced=True, is_stopping=None), state=GONE)
        self.brokers[old.broker_id] = gone
        self.registrations.append(gone)

    def _broker(self, broker_id: int, broker_epoch: int) -> BrokerRegistration:
        """As it stands; one of which the base is missing is in no state that is known."""
        known = self.brokers.get(broker_id)
        if known is not None:
            return known
        return BrokerRegistration(broker_id, "", broker_epoch, None, None, None, None, -1, -1, -1)

    @staticmethod
    def _next(
        old: BrokerRegistration,
        record: MetadataRecord,
        *,
        is_fenced: bool | None,
        is_stopping: bool | None,
    ) -> BrokerRegistration:
        return replace(
            old,
            is_fenced=is_fenced,
            is_stopping=is_stopping,
            decided_at_ms=record.at_ms,
            offset=record.offset,
            controller_epoch=record.epoch,
            is_registered=False,
        )

    def _enter_broker(self, new: BrokerRegistration, record: MetadataRecord) -> None:
        old = self.brokers.get(new.broker_id)
        if new.is_fenced is not None and new.is_stopping is not None:
            new.state = registration_state(is_fenced=new.is_fenced, is_stopping=new.is_stopping)
        elif new.is_fenced is not None:
            new.state = FENCED if new.is_fenced else ACTIVE
        before = NONE if old is None and new.is_registered else old.state if old else None
        self._judge(BROKER_REGISTRATION, new.broker_id, before, new.state or None, record)
        self.brokers[new.broker_id] = new
        if not self._is_base:
            self.registrations.append(new)

    def _check_epoch(self, broker_id: int, broker_epoch: int, record: MetadataRecord) -> None:
        known = self.brokers.get(broker_id)
        if known is not None and known.broker_epoch not in (None, broker_epoch):
            said = f"broker epoch {broker_epoch} where {known.broker_epoch} is registered"
            self.judged.broken.append(BrokenRule(BROKER_REGISTRATION, broker_id, record.offset, said))

    def _judge(
        self,
        machine: str,
        key: int | PartitionKey,
        before: str | None,
        after: str | None,
        record: MetadataRecord,
    ) -> None:
        """gap: the log does not have what was before, so that nothing is said of the move."""
        if self._is_base:
            return
        if not before or not after:
            verdict = GAP
        else:
            is_legal = registration_machines()[machine].allows(before, after)
            verdict = VALID if is_legal else ILLEGAL
        move = RegistrationMove(machine, key, before or "", after or "", record.offset, record.at_ms, verdict)
        self.judged.moves.append(move)
