"""Words of lines about connections that several tables take."""

# A connection that cannot be opened goes on failing for hours.
FAILED = "failed"
# Who connects to the voters of a quorum, as its lines begin.
OF_QUORUM = "RaftManager"
# How a controller registers with the one in office, as its lines begin (from 3.7).
OF_REGISTRATION = r"^NodeToControllerChannelManager id=\d+ name=registration$"
