"""What is built, and from what: the same wheel twice, from the sources and from the sdist."""

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from tests.campaign.golden import environment
from tests.campaign.record import ROOT, Outcome

EPOCH = {"SOURCE_DATE_EPOCH": "1767225600"}


def build(source: Path, out: Path, kind: str) -> Path:
    """Build a wheel or an sdist of a folder in an isolated environment."""
    command = [sys.executable, "-m", "build", f"--{kind}", "--outdir", str(out), str(source)]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, **EPOCH})
    return next(out.iterdir())


def clone(folder: Path, source: Path = ROOT) -> Path:
    """The committed sources, as anybody gets them."""
    subprocess.run(["git", "clone", "-q", source, folder], check=True)
    return folder


def contents(wheel: Path) -> dict[str, str]:
    """Digest of every file of a wheel."""
    with zipfile.ZipFile(wheel) as file:
        return {
            name: hashlib.sha256(file.read(name)).hexdigest()
            for name in file.namelist()
            if not name.endswith("RECORD")
        }


def same_wheel_twice(folder: Path) -> list[str]:
    """Two builds of two clones are equal bit by bit."""
    first_clone = clone(folder / "clone1")
    second_clone = clone(folder / "elsewhere" / "clone2", first_clone)  # the same commit
    wheels = [
        build(tree, folder / f"out {tree.name}", "wheel") for tree in (first_clone, second_clone)
    ]
    first, second = (wheel.read_bytes() for wheel in wheels)
    if first == second:
        return []
    return _differences(*map(contents, wheels)) or ["the files are equal, their archive is not"]


def _differences(one: dict[str, str], two: dict[str, str]) -> list[str]:
    names = sorted(one.keys() | two)
    return [f"{name} differs" for name in names if one.get(name) != two.get(name)]


def wheel_of_the_sdist(folder: Path) -> list[str]:
    """A wheel of the sdist is that of the tree."""
    tree = clone(folder / "clone")
    sdist = build(tree, folder / "sdist", "sdist")
    shutil.unpack_archive(sdist, folder / "unpacked")
    from_sdist = build(next((folder / "unpacked").iterdir()), folder / "out1", "wheel")
    from_tree = build(tree, folder / "out2", "wheel")
    one, two = contents(from_sdist), contents(from_tree)
    return [
        f"differs: {name}" for name in sorted(one.keys() | two) if one.get(name) != two.get(name)
    ]


def two_installations_at_once(folder: Path) -> list[str]:
    """Two installations of one clone at the same time both work."""
    tree = clone(folder / "clone")
    pythons = []
    for name in ("one", "two"):
        subprocess.run([sys.executable, "-m", "venv", folder / name], check=True)
        pythons.append(str(folder / name / "bin" / "python"))
    installs = [
        subprocess.Popen([python, "-m", "pip", "install", "-q", str(tree)]) for python in pythons
    ]
    failures = [f"pip ended with {code}" for code in [p.wait() for p in installs] if code]
    for python in pythons:
        done = subprocess.run([python, "-m", "trueval", "--version"], capture_output=True)
        failures += [done.stderr.decode()[-300:]] if done.returncode else []
    return failures


def bill_of_materials(folder: Path) -> list[str]:
    """The installed dependencies as CycloneDX; kept in build/sbom.json."""
    python = environment(folder / "env", sys.executable, ".")
    target = ROOT / "build" / "sbom.json"
    command = [sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible"]
    target.parent.mkdir(exist_ok=True)
    subprocess.run([*command, "-o", str(target), python], check=True, capture_output=True)
    return [] if '"trueval"' in target.read_text() else ["trueval is not in it"]


CHECKS: dict[str, Callable[[Path], list[str]]] = {
    "the same wheel twice, bit by bit": same_wheel_twice,
    "the wheel of the sdist is that of the tree": wheel_of_the_sdist,
    "two installations of one clone at once": two_installations_at_once,
    "bill of materials (CycloneDX)": bill_of_materials,
}


def missing() -> str | None:
    """What is not installed here, or None."""
    lacks = [name for name in ("build", "cyclonedx_py") if find_spec(name) is None]
    return f"needs pip install build cyclonedx-bom (no {', '.join(lacks)})" if lacks else None


def batch(turn: int, folder: Path, seconds: float) -> Outcome:
    """One check."""
    name, check = list(CHECKS.items())[turn % len(CHECKS)]
    failures = [f"{name}: {text}" for text in check(folder)]
    return Outcome(1, failures, {name: "failed" if failures else "yes"})
