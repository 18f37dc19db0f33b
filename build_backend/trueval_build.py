"""Build trueval: scikit-build-core, and a compiler from PyPI where the machine has none.

The wheel ``ziglang`` brings Clang as ``python -m ziglang c++``. It is asked for only where no C++
compiler is found, so that an ordinary build does not download it.
"""

import contextlib
import importlib.util
import os
import shutil
import stat
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scikit_build_core import build as _backend
from scikit_build_core.build import (
    build_sdist,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

_NAMES = ("c++", "g++", "clang++", "cl")
# An incremental build folder is for those who work on the kernels. Two installations of one
# clone at once would share it, so that an ordinary one has a folder of its own.
_KEPT = "build/{wheel_tag}"
_TOOLS = {"CXX": "c++", "CC": "cc", "AR": "ar", "RANLIB": "ranlib"}
_FAILED = "trueval: its C++ kernels could not be built."
_NO_COMPILER = (
    "Install a C++17 compiler and try again (Debian and Ubuntu: apt install g++; Fedora: dnf "
    "install gcc-c++; macOS: xcode-select --install; Windows: Visual Studio Build Tools)."
)
_NO_NANOBIND = (
    "The build tool nanobind is missing: pip install nanobind scikit-build-core, or install "
    "without --no-build-isolation."
)
_OTHER = "The reason is above."


def has_compiler() -> bool:
    """Whether a C++ compiler is named by CXX, or found by its usual names."""
    named = os.environ.get("CXX")
    if named:
        return shutil.which(named.split()[0]) is not None
    if any(shutil.which(name) for name in _NAMES):
        return True
    # On Windows CMake finds Visual Studio by itself; on macOS c++ is always in the path.
    return sys.platform == "win32" and _has_visual_studio()


def _has_visual_studio() -> bool:
    folder = os.environ.get("PROGRAMFILES(X86)", "")
    where = Path(folder, "Microsoft Visual Studio", "Installer", "vswhere.exe")
    if not where.is_file():
        return False
    command = [str(where), "-products", "*", "-property", "installationPath"]
    return bool(subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip())


def get_requires_for_build_wheel(settings: dict[str, Any] | None = None) -> list[str]:
    """What scikit-build-core asks for, and a compiler if there is none."""
    return _with_compiler(_backend.get_requires_for_build_wheel(settings))


def get_requires_for_build_editable(settings: dict[str, Any] | None = None) -> list[str]:
    """What scikit-build-core asks for, and a compiler if there is none."""
    return _with_compiler(_backend.get_requires_for_build_editable(settings))


def _with_compiler(requirements: list[str]) -> list[str]:
    return requirements if has_compiler() else [*requirements, "ziglang>=0.13", "ninja>=1.11"]


def build_wheel(
    folder: str, settings: dict[str, Any] | None = None, metadata: str | None = None
) -> str:
    """Build a wheel in a folder that nothing else uses."""
    with _says_what_to_install(), _compiler() as defines:
        return _backend.build_wheel(folder, {**defines, **(settings or {})}, metadata)


def build_editable(
    folder: str, settings: dict[str, Any] | None = None, metadata: str | None = None
) -> str:
    """Build for working on the sources."""
    with _says_what_to_install(), _compiler() as defines:
        choices = {"build-dir": _KEPT, **defines, **(settings or {})}
        return _backend.build_editable(folder, choices, metadata)


@contextlib.contextmanager
def _says_what_to_install() -> Iterator[None]:
    try:
        yield
    except (Exception, SystemExit):
        print(_FAILED, _what_to_do(), file=sys.stderr)
        raise


def _what_to_do() -> str:
    # With build isolation the tools are there, so that they are asked for first.
    if importlib.util.find_spec("nanobind") is None:
        return _NO_NANOBIND
    return _OTHER if has_compiler() else _NO_COMPILER


@contextlib.contextmanager
def _compiler() -> Iterator[dict[str, str]]:
    """Settings that name the tools of ziglang, if there is no other compiler."""
    if has_compiler():
        yield {}
        return
    with tempfile.TemporaryDirectory() as folder:
        tools = {name: _tool(Path(folder), tool) for name, tool in _TOOLS.items()}
        before = {name: os.environ.get(name) for name in ("CXX", "CC")}
        os.environ.update(CXX=tools["CXX"], CC=tools["CC"])
        try:
            yield {f"cmake.define.CMAKE_{name}": tools[name] for name in ("AR", "RANLIB")}
        finally:
            for name, value in before.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value


def _tool(folder: Path, tool: str) -> str:
    """A program that calls a tool of ziglang; CMake wants one file, not a command with words."""
    windows = sysconfig.get_platform().startswith("win")
    path = folder / (f"zig-{tool}.bat" if windows else f"zig-{tool}")
    if windows:
        path.write_text(f'@"{sys.executable}" -m ziglang {tool} %*\n')
    else:
        path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ziglang {tool} "$@"\n')
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)
