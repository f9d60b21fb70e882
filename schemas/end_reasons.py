"""Why a process, a broker's stay or a controller's term ended, as server.log says it: closed lists."""

SIGNALLED, SESSION, DISK = "sigterm", "session_lost", "disk_failed"
START, FAULT, KILLED, UNKNOWN = "fatal_start", "fatal_fault", "killed", "unknown"
# In end_detail behind the signal: it stopped all the same, without leave of its controller.
GAVE_UP = "gave up its controlled shutdown"
OF_PROCESS = (
    SIGNALLED,  # it was told to stop: SIGTERM, SIGINT or SIGHUP; up to 0.11 it stopped in order
    DISK,  # it halted because of its log directories
    START,  # its start failed
    FAULT,  # a fault that Kafka does not survive
    KILLED,  # it stopped without a word: kill -9, a crash, the machine; its next start says the same, where it says it
    UNKNOWN,
)
OF_BROKER = (SESSION, *OF_PROCESS)  # session_lost: it lived on: frozen, a pause of its JVM, or cut off
MAJORITY = "majority_lost"  # KRaft: it lived on, and too few of the quorum heard it
OF_CONTROLLER = (MAJORITY, *OF_BROKER)
STOPPED, CLEAN, MISSING, NOT_BACK = "stopped_by_itself", "clean", "lines_missing", "not_started_again"
UNKNOWN_OF_PROCESS = (
    NOT_BACK,  # no line of its end, and no later start is in the logs
    MISSING,  # lines of server.log may be missing before its next start
    STOPPED,  # it shut down without a signal and without an error that tells why
    CLEAN,  # no line of its end, but its next start found its log directories shut down in order
)
NO_LOG, LIVED_ON = "no_server_log", "lived_on"
UNKNOWN_WHY = (
    NO_LOG,  # no line of its server.log of that time is there
    LIVED_ON,  # its process went on, and no line tells that it lost its session
    *UNKNOWN_OF_PROCESS,
)
