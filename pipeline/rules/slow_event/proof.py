"""The proof of slow_event, from its records alone."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.proof import Claim, ProofLine, require_proof, require_span

# The line with which each kind of event begins.
BEGINS = {
    "BrokerChange": r"Newly added brokers: ",
    "BrokerModifications": r"Broker info update callback for ",
    "TopicChange": r"New topics: \[",
    "PartitionModifications": r"New partitions to be added ",
    "TopicDeletion": r"Delete topics listener fired for topics |Starting topic deletion for topics ",
    "TopicDeletionStopReplicaResponseReceived": r"Delete topic callback invoked ",
    "ControlledShutdown": r"Shutting down broker \d+",
    "AutoPreferredReplicaLeaderElection": (
        r"Processing automatic preferred replica leader election|hecking need to trigger "
        r"|Starting (?:preferred )?replica leader election"
    ),
    "ReplicaLeaderElection": r"Starting (?:preferred )?replica leader election",
    "PartitionReassignment": r"Handling reassignment of partition |Updating assignment of partition ",
    "PartitionReassignmentIsrChange": r" caught up with the leader for ",
    "IsrChangeNotification": r"Sending MetadataRequest to Brokers",
    "AlterPartition": r"Updating ISRs for partitions|ISR for partition ",
    "LeaderAndIsrResponseReceived": r"Received error .*LeaderAndIsr response ",
    "UpdateMetadataResponseReceived": r"Received error .*UpdateMetadata response ",
    "LogDirEventNotification": r"Handling log directory failure for brokers ",
    "UncleanLeaderElectionEnable": r"Unclean leader election has been enabled ",
    "AllocateProducerIds": r"producerId block",
}


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    kind, node_id = claim.text("event"), claim.number("controller_id")
    require_proof(len(lines) > 1, f"{len(lines)} records do not span an event")
    begin, end = lines[0], lines[-1]
    begins = BEGINS.get(kind)
    require_proof(begins and re.search(begins, begin.text), f"{begin.place()} does not begin {kind}")
    for line in (begin, end):
        require_proof(line.node_id() == node_id, f"{line.place()} is of controller {line.node_id()}")
    require_span(claim, begin.at(), end.at(), claim.number("lasted_ms"))
    return f"{kind} from {begin.at()} until {end.at()}"
