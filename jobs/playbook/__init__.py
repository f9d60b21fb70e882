"""The playbooks: pages beside the rules, which say for each rule of the audit what to do about its findings."""
