"""Starts of controllers, one a release that prints other steps: times are seconds."""

from tests.gold.term_lines import old, own
from tests.gold.term_stories import OLD_START, Logs

STEPS: dict[str, Logs] = {
    "0.10": {
        (1, "controller"): OLD_START
        + old(1, 1.05, "Current list of topics in the cluster: Set()")
        + old(1, 1.2, "Broker 1 is ready to serve as the new controller with epoch 1")
        + old(1, 1.3, "starting the partition rebalance scheduler")
    },
    "1.0": {
        (1, "controller"): own(1, 1, "1 successfully elected as the controller")
        + own(1, 1.01, "Starting become controller state transition")
        + own(1, 1.02, "Initialized controller epoch to 0 and zk version 0")
        + own(1, 1.04, "Incremented epoch to 1")
        + own(1, 1.2, "Ready to serve as the new controller with epoch 1")
        + own(1, 1.3, "Starting the controller scheduler")
    },
    "2.0": {
        (1, "controller"): own(1, 1, "1 successfully elected as the controller")
        + own(1, 1.01, "Reading controller epoch from ZooKeeper")
        + own(1, 1.03, "Incrementing controller epoch in ZooKeeper")
        + own(1, 1.04, "Epoch incremented to 1")
        + own(1, 1.05, "Registering handlers")
        + own(1, 1.2, "Ready to serve as the new controller with epoch 1")
        + own(1, 1.3, "Starting the controller scheduler")
    },
    "2.1": {
        (1, "controller"): own(
            1,
            1,
            "1 successfully elected as the controller. Epoch incremented to 1 and epoch zk version is now 2",
        )
        + own(1, 1, "Registering handlers")
        + own(1, 1.05, "Initializing controller context")
        + own(1, 1.1, "Current list of topics in the cluster: Set()")
        + own(1, 1.2, "Ready to serve as the new controller with epoch 1")
        + own(1, 1.3, "Starting the controller scheduler")
        + own(1, 9, "Initializing controller context")
    },
}
