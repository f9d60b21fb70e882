"""What nodes print when brokers come, are shut down, die and freeze."""

from tests.gold.fleet_controller import BROKERS, Controller
from tests.gold.fleet_lines import (
    PARTITION_MACHINE,
    REPLICA_MACHINE,
    Partition,
    joined,
)

SESSION_SECONDS = 18


class Sessions(Controller):
    def began(self, broker: int) -> None:
        """The process of a broker starts; the first of all becomes the controller."""
        self.thread(broker, "Starting")
        self.zxid += self.rng.randrange(5, 60)
        self.broker_epochs[broker] = self.zxid
        self.live.add(broker)
        self.known = {key: epoch for key, epoch in self.known.items() if key[0] != broker}
        if not self.controller:
            self.elect(broker)
            return
        self.now += 9
        self.own(
            broker,
            f"Broker {self.controller} has been elected as the controller, so stopping the election process.",
            "DEBUG",
        )
        self.came(broker)

    def came(self, broker: int) -> None:
        """The controller hears of a broker's new session."""
        self.brokers_changed(added=broker)
        self.connecting(self.controller, broker)
        self.sender(self.controller, "Starting")
        self.say(f"New broker startup callback for {broker}")
        self.send_metadata([], self.live - {broker})
        own = self.of_broker(broker)
        self.no_connection(self.controller, broker)
        self.connected(self.controller, broker)
        self.send_metadata(list(self.partitions.values()), [broker])
        if own:
            self.send(own)
        self.elect_offline()
        self.say(f"Register BrokerModifications handler for List({broker})", "DEBUG")
        self.say(f"Updated broker epochs cache: {self.epochs()}")

    def brokers_changed(self, added: int | None = None, deleted: int | None = None) -> None:
        self.say(
            f"Newly added brokers: {added or ''}, deleted brokers: {deleted or ''}, bounced brokers: , all live brokers: {joined(self.up())}"
        )

    def caught_up(self, broker: int) -> None:
        """Its replicas are in sync again: the leaders put it back into the ISR."""
        late = [one for one in self.of_broker(broker) if broker not in one.isr and one.leader in self.live]
        for leader in self.up():
            self.alter([one for one in late if one.leader == leader], broker)

    def alter(self, some: list[Partition], joining: int | None = None, leaving: int | None = None) -> None:
        if not some:
            return
        self.say(f"Updating ISRs for partitions: Set({joined((one.name for one in some), ', ')}).", "DEBUG")
        for one in some:
            one.isr = [each for each in one.isr if each != leaving] + ([joining] if joining else [])
            one.version += 1
            one.recovery = "RECOVERED"
            self.say(f"ISR for partition {one.name} updated to {one.state()}.", "DEBUG")
        self.send_metadata(some)

    def gone(self, broker: int) -> None:
        """The controller hears that a broker's session is over."""
        self.live.discard(broker)
        self.brokers_changed(deleted=broker)
        self.stopped_sending(self.controller, 1)
        self.say(f"Broker failure callback for {broker}")
        if broker in self.shutting:
            self.say(f"Removed {broker} from list of shutting down brokers.")
            self.shutting.discard(broker)
        self.send_metadata([], [])
        self.elect_offline()
        self.leave_isr(broker, self.acted_on(self.of_broker(broker)))
        self.say(f"Unregister BrokerModifications handler for List({broker})", "DEBUG")
        self.say(f"Updated broker epochs cache: {self.epochs()}")

    def crash(self, broker: int) -> None:
        """It is not the controller, who hears of it when the session times out."""
        self.passing(SESSION_SECONDS)
        self.gone(broker)

    def shut_down(self, broker: int) -> None:
        """Controlled: the leaders move first. If it is the controller, another one is elected."""
        self.shutting = {broker}
        self.say(f"Shutting down broker {broker}")
        self.say(f"All shutting down brokers: {broker}", "DEBUG")
        self.say(f"Live brokers: {joined(sorted(self.live - self.shutting))}", "DEBUG")
        shared = [one for one in self.acted_on(self.of_broker(broker)) if len(one.replicas) > 1]
        led = [one for one in shared if one.leader == broker]
        for one in led:
            rest = [each for each in one.isr if each in self.live and each != broker]
            one.led_by(next(each for each in one.replicas if each in rest), rest)
            self.move(one, "OnlinePartition")
        if led:
            self.send(led)
        followed = [one for one in shared if one not in led]
        self.stop_replicas(broker, followed, times=1)
        self.leave_isr(broker, followed)
        leaders = (f"{one.name} -> {one.short(self.epoch)}" for one in self.partitions.values())
        self.say(f"All leaders = {joined(leaders)}", "TRACE")
        self.now += self.rng.randrange(20, 90)
        self.thread(broker, "Shutting down", "Stopped", "Shutdown completed")
        self.resign(broker)
        if broker != self.controller:
            self.gone(broker)
            return
        self.shutting, self.next_check = set(), None
        self.live.discard(broker)
        self.now += self.rng.randrange(8, 25)
        self.elect(self.rng.choice(self.up()))

    def resign(self, node: int) -> None:
        known = self.up() if node == self.controller else []
        self.own(node, "Resigning", "DEBUG")
        self.own(node, f"Unregister BrokerModifications handler for Set({joined(known, ', ')})", "DEBUG")
        self.machine(node, PARTITION_MACHINE, "Stopped partition state machine")
        self.machine(node, REPLICA_MACHINE, "Stopped replica state machine")
        self.stopped_sending(node, len(known))
        self.own(node, "Resigned")

    def frozen(self, seconds: float) -> None:
        """The controller stands still until long after the next one is elected, checks the balance once more, resigns."""
        old, epoch, wakes = self.controller, self.epoch, self.now + round(seconds * 1000)
        self.next_check = None
        self.now += SESSION_SECONDS * 1000
        self.live.discard(old)
        self.elect(self.rng.choice(self.up()))
        self.until(wakes)
        new, new_epoch, next_check = self.controller, self.epoch, self.next_check
        self.controller, self.epoch = old, epoch
        self.say("Processing automatic preferred replica leader election")
        self.say("Checking need to trigger auto leader balancing", "TRACE")
        for broker in BROKERS:
            self.say(f"Topics not in preferred replica for broker {broker} HashMap()", "DEBUG")
            self.say(f"Leader imbalance ratio for broker {broker} is 0.0", "TRACE")
        self.resign(old)
        self.controller, self.epoch, self.next_check = new, new_epoch, next_check
        self.live.add(old)
        self.came(old)
        self.passing(3)
        self.caught_up(old)
