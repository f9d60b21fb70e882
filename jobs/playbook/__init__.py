"""The playbooks: pages of docs/playbooks, which say for each rule of the audit what to do about its findings."""
