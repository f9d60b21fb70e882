"""Parts of the documentation that are made from declarations; `python -m jobs.docs` writes them."""
