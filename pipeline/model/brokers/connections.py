"""Words of lines about connections that several tables take."""

# A connection that cannot be opened goes on failing for hours.
FAILED = "failed"
# Who connects to the voters of a quorum, as its lines begin.
OF_QUORUM = "RaftManager"
