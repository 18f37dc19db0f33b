"""The pinned folds under other settings, other Pythons, other dependencies and other kernels."""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

from tests.campaign.record import ROOT, Outcome

SETTINGS: dict[str, dict[str, str]] = {
    "hash seed 0": {"PYTHONHASHSEED": "0"},
    "hash seed 4,294,967,295": {"PYTHONHASHSEED": "4294967295"},
    "locale C": {"LC_ALL": "C", "PYTHONUTF8": "0"},
    "locale tr_TR": {"LC_ALL": "tr_TR.UTF-8"},
    "1 thread": {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    "2 threads": {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"},
    "4 threads": {"OMP_NUM_THREADS": "4", "OPENBLAS_NUM_THREADS": "4"},
    "time zone Kiritimati": {"TZ": "Pacific/Kiritimati"},
    "without assertions": {"PYTHONOPTIMIZE": "2"},
    "BLAS without AVX2": {"OPENBLAS_CORETYPE": "Nehalem", "NPY_DISABLE_CPU_FEATURES": "AVX2"},
}
#: Pythons of Debian's packages, which need not be installed: programs needed, and which it is.
DEBIAN = {
    "python3.14 of Debian": (("c++",), ("amd64", "3.14", "sid")),
    "aarch64, emulated": (
        ("qemu-aarch64", "aarch64-linux-gnu-g++"), ("arm64", "3.11", "bookworm"),
    ),
}  # fmt: skip
_DEBIAN_SOURCES = Path("/etc/apt/sources.list.d/debian.sources")


def check(python: str, **settings: str) -> list[str]:
    """What a Python says against the pinned folds."""
    done = subprocess.run(
        [python, "-m", "tests.golden", "--check"],
        capture_output=True, text=True, cwd=ROOT, env={**os.environ, **settings},
    )  # fmt: skip
    return [done.stderr[-500:]] if done.returncode else []


def environment(folder: Path, python: str, *install: str) -> str:
    """The Python of a new environment with trueval built in it."""
    subprocess.run([python, "-m", "venv", folder], check=True)
    made = str(folder / "bin" / "python")
    subprocess.run([made, "-m", "pip", "install", "-q", *install], check=True, cwd=ROOT)
    return made


def _with_settings(settings: dict[str, str], folder: Path) -> list[str]:
    return check(sys.executable, **settings)


def _built(python: str, install: tuple[str, ...], folder: Path) -> list[str]:
    try:
        return check(environment(folder / "env", python, *install))
    except subprocess.CalledProcessError as error:
        return [f"cannot be installed: {error}"]


def _of_debian(which: tuple[str, ...], folder: Path) -> list[str]:
    command = ["bash", ".ci/debian-python", folder / "python", *which]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    return [(done.stdout + done.stderr)[-500:]] if done.returncode else []


@cache
def runs(python: str) -> bool:
    """Whether a Python is in the path, and is one: some launchers have names without a Python."""
    if not shutil.which(python):
        return False
    return subprocess.run([python, "-c", ""], capture_output=True).returncode == 0


def lowest() -> list[str]:
    """Dependencies at their declared lowest versions."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return [line.replace(">=", "==") for line in project["dependencies"]]


def variants() -> dict[str, Callable[[Path], list[str]]]:
    """Every variant by name; those that need a build come last."""
    out: dict[str, Callable[[Path], list[str]]] = {
        name: partial(_with_settings, settings) for name, settings in SETTINGS.items()
    }
    portable = (".", "-C", "cmake.define.TRUEVAL_AVX2=OFF")
    out["kernels without AVX2"] = partial(_built, sys.executable, portable)
    out["lowest dependencies"] = partial(_built, sys.executable, (".", *lowest()))
    for name in ("python3.11", "python3.12", "python3.13", "python3.14", "python3.14t"):
        if name != f"python3.{sys.version_info.minor}" and runs(name):
            out[name] = partial(_built, name, (".",))
    for name, (programs, which) in DEBIAN.items():
        here = platform.machine() == "x86_64" and _DEBIAN_SOURCES.exists()
        if here and all(map(shutil.which, ("cmake", *programs))):
            out[name] = partial(_of_debian, which)
    return out


def batch(turn: int, folder: Path, seconds: float) -> Outcome:
    """One variant."""
    name, run = list(variants().items())[turn % len(variants())]
    failures = [f"{name}: {text}" for text in run(folder)]
    return Outcome(1, failures, {name: "other folds" if failures else "the same folds"})
