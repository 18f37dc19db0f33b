"""``python -m trueval``: the command line."""

from trueval.cli import main

if __name__ == "__main__":
    main()
