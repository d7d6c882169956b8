"""`python -m pauci` is the command line."""

from pauci.cli import main

if __name__ == "__main__":
    main()
