"""Environments for peers that cannot share ours.

scikit-multilearn and scikit-multilearn-ng install the same module, so only one fits in an
environment; DataSAIL brings forty packages; RLScore builds from source. With ``--peer-env DIR``
each gets an environment below DIR, made once by ``venv`` and ``pip``; without it, or where
``pip`` fails, the row says so with the reason.
"""

import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["SEEN", "Environment", "environment"]

SECONDS = 900
#: Versions of the packages found so far.
SEEN: dict[str, str] = {}


@dataclass(frozen=True)
class Environment:
    """An interpreter, or why there is none."""

    python: str = ""
    version: str = ""
    problem: str = ""


@cache
def environment(package: str, folder: Path | None, also: tuple[str, ...] = ()) -> Environment:
    """The environment of one package, and others it needs, made if it is not there yet."""
    if folder is None:
        return Environment(problem="needs an environment of its own: --peer-env DIR")
    home = folder.resolve() / package
    python = home / "bin" / "python"
    if not python.exists():
        _run([sys.executable, "-m", "venv", str(home)])
    version = _version(python, package)
    if not version:
        tried = _run([str(python), "-m", "pip", "install", "-q", package, *also])
        version = _version(python, package)
        if not version:
            return Environment(problem=f"cannot be installed by pip: {_reason(tried)}")
    SEEN[package] = version
    return Environment(str(python), version)


def _run(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"over {SECONDS} s"
    return done.stdout + done.stderr


def _version(python: Path, package: str) -> str:
    ask = f"from importlib.metadata import version; print(version({package!r}))"
    done = subprocess.run([str(python), "-c", ask], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def _reason(output: str) -> str:
    """The line that names an error, if pip printed one."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    named = [line for line in lines if "Error: " in line and not line.startswith("error")]
    return (named or lines or ["no reason given"])[-1][:160]
