"""`python -m jobs` is the command kafka-controller-audit."""

import sys

from jobs.start import main

if __name__ == "__main__":
    sys.exit(main())
