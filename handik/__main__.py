"""``python -m handik`` is the command ``handik``."""

import sys

from handik.app.cli import main

if __name__ == "__main__":
    sys.exit(main())
