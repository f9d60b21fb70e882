"""The rules of the audit, a folder each: what a person should look at, its proof, its page and its cases."""
