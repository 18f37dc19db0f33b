"""Make the report that the pages embed: ``trueval demo``, run when a build begins.

The page goes to ``docs/live/report.html``, which Sphinx copies as it is. It is made again when a
file of the package is newer.
"""

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import trueval

REPORT = Path(__file__).with_name("live") / "report.html"


def stale(report: Path, package: Path) -> bool:
    """Whether the report is missing or older than a file of the package."""
    if not report.is_file():
        return True
    made = report.stat().st_mtime
    kinds = (".py", ".js", ".css", ".html", ".so")
    return any(file.stat().st_mtime > made for file in package.rglob("*") if file.suffix in kinds)


def write(_app=None) -> None:
    """Run the demo and keep its report."""
    if not stale(REPORT, Path(trueval.__file__).parent):
        return
    REPORT.parent.mkdir(exist_ok=True)
    with TemporaryDirectory() as work:
        demo = Path(work) / "demo"
        command = [sys.executable, "-m", "trueval", "demo", "--no-open", "-q", "--out", str(demo)]
        subprocess.run(command, check=True, cwd=work)
        shutil.copyfile(demo / "report.html", REPORT)


if __name__ == "__main__":
    write()
