"""Which log a logger writes to, by its name."""

from collections.abc import Iterable

STATE_CHANGE_LOGGER = "state.change.logger"
CONTROLLER_LOGGERS = ("kafka.controller", "org.apache.kafka.controller")
CONTROLLER, STATE_CHANGE, SERVER, MIXED = "controller", "state-change", "server", "mixed"


def log_of(logger: str) -> str:
    """The log of a logger, whatever file it stands in. Source: stock configuration, 0.8 to 4.3."""
    if logger == STATE_CHANGE_LOGGER:
        return STATE_CHANGE
    if any(logger == root or logger.startswith(root + ".") for root in CONTROLLER_LOGGERS):
        return CONTROLLER
    return SERVER


def full_names(short: Iterable[str], known: Iterable[str]) -> list[str]:
    """Loggers printed as their last part only, e.g. `logger`, as the known logger that ends so.

    Of several the last in the table counts; an unknown one stays as it is.
    """
    by_end = {name.rsplit(".", 1)[-1]: name for name in known}
    return [by_end.get(name, name) for name in short]
