"""What an interrupted command says; imports nothing, as modules may still be being loaded."""

__all__ = ["INTERRUPTED", "JSON", "MESSAGE"]

INTERRUPTED = 130  # the exit code that shells expect
MESSAGE = "Interrupted. No file is half-written."
#: For programs.
JSON = {
    "error": {"type": "KeyboardInterrupt", "message": MESSAGE, "exit_code": INTERRUPTED},
}
