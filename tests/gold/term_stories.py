"""Small clusters of two brokers, one for each way in which a term ends or outlives itself: times are seconds."""

from tests.gold.term_lines import (
    active,
    alive,
    broker_change,
    created,
    created_4_0,
    elected,
    elected_0_10,
    elected_1_0,
    event,
    event_failed,
    failed,
    line,
    moved,
    observed,
    old,
    own,
    refused,
    renounced,
    resigning,
    stop,
    thread,
    written,
)

Logs = dict[tuple[int, str], str]


def two(first: str, second: str, moves: str = "", others: str = "") -> Logs:
    """Controller 1 and then controller 2 as their logs tell it; moves: state-change.log of 1, others: that of 2."""
    logs = {(1, "controller"): first, (2, "controller"): second}
    return logs | {(node, "state-change"): text for node, text in ((1, moves), (2, others)) if text}


CHECKING = "Checking need to trigger auto leader balancing"
WAKING = elected(1, 1, 1) + own(1, 14, CHECKING)
NEXT, WITHOUT_1 = elected(2, 2, 12) + alive(2, 12.05, "2"), elected(2, 2, 12) + alive(2, 12.05, "2,3")
WITH_1 = elected(2, 2, 12) + alive(2, 12.05, "1,2")
OLD_START = old(1, 0.5, "Controller starting up") + elected_0_10(1, 1, 1)
OLD_RESIGNING = old(1, 10, "Controller resigning, broker id 1") + old(
    1, 10.005, "Broker 1 resigned as the controller"
)
OLD_NEXT = elected_0_10(2, 2, 12) + old(2, 12.05, "Currently active brokers in the cluster: Set(2,3)")
OLD_EXPIRED = line(
    9.999,
    "[SessionExpirationListener on 1], ZK expired; shut down all controller components and try to re-elect",
    "kafka.controller.KafkaController$SessionExpirationListener",
)

STORIES: dict[str, Logs] = {
    "stopped later": two(elected(1, 1, 1) + stop(1, 20, "Set()"), WITH_1),
    "1.0 stopped later": two(elected_1_0(1, 1, 1) + stop(1, 55, None), WITH_1),
    "stopped, no next one": {(1, "controller"): elected(1, 1, 1) + stop(1, 20, "HashSet()")},
    "stopped, then started": two(elected(1, 1, 1) + stop(1, 10, "Set()") + thread(1, 11, "Starting"), WITH_1),
    "stopped in office": two(elected(1, 1, 1) + stop(1, 20, "Set(1, 2)"), WITH_1),
    "failed as it took over": two(
        elected(1, 1, 1) + own(1, 10, "Resigning") + own(1, 10, "Unregister BrokerModifications handler for Set()"),
        WITHOUT_1,
    ),
    "renounced": two(active(1, 1, 1) + renounced(1, 1, 10, 2), observed(2, 1, 1.1, 1) + active(2, 2, 12)),
    "renounced late": two(active(1, 1, 1) + renounced(1, 1, 16, 2), active(2, 2, 12)),
    "event_failed": two(active(1, 1, 1) + event_failed(1, 1, 10), active(2, 2, 12)),
    "process_end": two(active(1, 1, 1) + event(1, 5) + created(1, 20), active(2, 2, 12)),
    "claimed again": two(
        active(1, 1, 1) + event(1, 5) + created(1, 20) + active(1, 1, 20.01) + event_failed(1, 1, 20.02)
        + observed(1, 2, 20.03, 2),
        active(2, 2, 12),
    ),
    "sole controller 4.0": {(1, "controller"): active(1, 1, 1) + event(1, 5) + created_4_0(1, 20) + active(1, 2, 21)},
    "sole controller": {(1, "controller"): active(1, 1, 1) + event(1, 5) + created(1, 20) + active(1, 2, 21)},
    "one of several": two(
        active(1, 1, 1) + event(1, 5) + created(1, 20) + active(1, 2, 21), observed(2, 1, 1.1, 1)
    ),
    "quorum lost": two(
        active(1, 1, 1) + event(1, 3) + created(1, 20),
        observed(2, 1, 1.1, 1) + observed(2, 2, 4, "(none)") + observed(2, 3, 5, "(none)") + active(2, 4, 14),
    ),
    "quorum lost unheard": two(
        active(1, 1, 1) + event(1, 3) + created(1, 20), observed(2, 1, 1.1, 1) + created(2, 13) + active(2, 4, 14)
    ),
    "nobody since": two(active(1, 1, 1) + event(1, 3), observed(2, 2, 4, "(none)") + observed(2, 3, 15, "(none)")),
    "shut down": two(active(1, 1, 1) + event(1, 3), observed(2, 2, 4, "(none)") + observed(2, 2, 4.1, "(none)")),
    "next active unseen": two(active(1, 1, 1) + renounced(1, 1, 10, 3), observed(2, 2, 12, 3)),
    "none of its lines": {(2, "controller"): observed(2, 1, 1.1, 1)},
    "crashed": two(elected(1, 1, 1) + own(1, 5, CHECKING) + thread(1, 20, "Starting"), NEXT),
    "crashed or resigned": two(
        elected(1, 1, 1) + own(1, 5, CHECKING) + thread(1, 20, "Starting"), "", others=written(2, 2, 15)
    ),
    "crashed, shut down later": two(
        elected(1, 1, 1) + thread(1, 20, "Starting") + thread(1, 30, "Shutting down") + resigning(1, 30.001), NEXT
    ),
    "shutdown": two(elected(1, 1, 1) + thread(1, 10, "Shutting down") + resigning(1, 10.001), WITHOUT_1),
    # At INFO it does not say that it begins to resign.
    "shutdown at INFO": two(
        elected(1, 1, 1) + thread(1, 10, "Shutting down") + own(1, 10.006, "Resigned"), WITHOUT_1
    ),
    "znode_gone at INFO": two(elected(1, 1, 1) + own(1, 10.005, "Resigned"), WITH_1),
    "session_expired": two(elected(1, 1, 1) + resigning(1, 10), WITHOUT_1),
    "znode_gone": two(elected(1, 1, 1) + resigning(1, 10), WITH_1),
    "next unseen": two(
        elected(1, 1, 1) + resigning(1, 10), "", others=written(2, 2, 20)
    ),
    "forced": two(
        elected(1, 1, 1) + own(1, 9.9, "Forcing the controller to resign") + resigning(1, 10), WITH_1
    ),
    "startup_failed": two(
        own(1, 1, "1 successfully elected as the controller. Epoch incremented to 1 and epoch zk version is now 2")
        + own(1, 1.5, "Registering handlers")
        + own(1, 1.6, "Initializing controller context")
        + own(1, 9, "Error while electing or becoming controller on broker 1. Trigger controller movement immediately")
        + resigning(1, 9.001),
        WITH_1,
    ),
    "superseded_unseen": two("", NEXT, others=refused(2, 1, 1, 12.5)),
    "its end was not read": two(elected(1, 1, 1), NEXT),
    "open": {(1, "controller"): elected(1, 1, 1)},
    "sole broker": {
        (1, "controller"): elected(1, 1, 1)
        + alive(1, 1.05, "1")
        + thread(1, 2, "Shutting down")
        + resigning(1, 2.001)
        + thread(1, 50, "Starting")
        + elected(1, 2, 51)
        + alive(1, 51.05, "1")
    },
    "0.10 sole broker": {
        (1, "controller"): OLD_START
        + old(1, 1.05, "Currently active brokers in the cluster: Set()")
        + OLD_RESIGNING
        + old(1, 50, "Controller starting up")
        + elected_0_10(1, 2, 51)
        + old(1, 51.05, "Currently active brokers in the cluster: Set()")
    },
    "last one shut down": two(
        elected(1, 1, 1) + alive(1, 1.05, "1,2") + broker_change(1, 5, "1") + thread(1, 10, "Shutting down")
        + resigning(1, 10.001),
        elected(2, 2, 50) + alive(2, 50.05, "2"),
    ),
    "0.10 shutdown": two(OLD_START + OLD_RESIGNING, OLD_NEXT),
    "0.10 expired": two(OLD_START + OLD_EXPIRED + OLD_RESIGNING, OLD_NEXT),
    "0.8 restarted": two(OLD_START + old(1, 20, "Controller starting up"), OLD_NEXT),
    "tail": two(elected(1, 1, 1) + resigning(1, 16), WITHOUT_1, written(1, 1, 5)),
    "harmless": two(WAKING + resigning(1, 16), WITHOUT_1, written(1, 1, 5) + failed(1, 1, 15)),
    "talked": two(
        WAKING + resigning(1, 16), WITHOUT_1, written(1, 1, 5) + failed(1, 1, 15), refused(2, 1, 1, 15.1)
    ),
    "wrote": two(
        elected_1_0(1, 1, 1) + own(1, 14, CHECKING) + resigning(1, 16),
        elected_1_0(2, 2, 12) + alive(2, 12.05, "2,3"),
        written(1, 1, 5) + written(1, 1, 15) + written(1, 1, 15.5),
    ),
    "deeds not printed": two(WAKING + resigning(1, 16), WITHOUT_1),
    "clocks differ": two(WAKING + resigning(1, 16), WITHOUT_1, written(1, 1, 15)),
    "powerless": two(
        elected(1, 1, 1) + moved(1, 4, "TopicChange") + moved(1, 5, "TopicChange") + resigning(1, 10), WITH_1
    ),
    "powerless still": {(1, "controller"): elected(1, 1, 1) + moved(1, 4, "TopicChange") + own(1, 9, CHECKING)},
    "powerless at its last line": {
        (1, "controller"): elected(1, 1, 1) + moved(1, 4, "TopicChange"),
        (2, "state-change"): refused(2, 1, 1, 9),
    },
    "slow": {
        (1, "controller"): own(
            1, 1, "1 successfully elected as the controller. Epoch incremented to 1 and epoch zk version is now 2"
        )
        + own(1, 2, "Initializing controller context")
        + own(1, 31, "Ready to serve as the new controller with epoch 1")
    },
}  # fmt: skip
