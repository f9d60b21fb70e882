"""Questions that people ask by name: each answers in words, with the lines that say so."""
