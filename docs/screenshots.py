"""Make the screenshots of the README and the documentation from the current code.

    python docs/screenshots.py [FOLDER]

Runs ``trueval demo`` into a temporary folder, opens its report in headless Chromium, and
writes report-light.png and report-dark.png (1280 pixels wide) and report-phone.png (390)
to docs/_static, or to FOLDER. Needs trueval and Chromium (``CHROMIUM`` names another
program); each file must stay under 300 kB.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

MOST_BYTES = 300_000
#: Name, width, height and further options of the browser.
SHOTS = (
    ("report-light", 1280, 1100, ()),
    ("report-dark", 1280, 1100, ("--blink-settings=preferredColorScheme=0",)),
    ("report-phone", 390, 844, ()),
)


def browser() -> str:
    names = (os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome")
    for name in names:
        if name and (found := shutil.which(name)):
            return found
    raise SystemExit("No Chromium found; install it, or name it in the variable CHROMIUM.")


def shoot(program: str, page: Path, image: Path, width: int, height: int, options) -> None:
    """One picture of the top of a page, by a browser with a profile of its own."""
    # Chromium draws no window under 500 pixels wide, so a phone is an iframe in a wide one.
    with TemporaryDirectory() as work:
        shown = page.as_uri()
        if width < 500:
            frame = Path(work) / "phone.html"
            frame.write_text(
                "<!doctype html><style>body{margin:0}iframe{border:0;display:block}</style>"
                f"<iframe src='{shown}' width='{width}' height='{height}'></iframe>",
                encoding="utf-8",
            )
            shown = frame.as_uri()
        raw = Path(work) / "shot.png"
        command = [
            program,
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--allow-file-access-from-files",
            "--force-device-scale-factor=1",
            f"--user-data-dir={work}/profile",
            f"--window-size={max(width, 500)},{height}",
            "--virtual-time-budget=8000",
            f"--screenshot={raw}",
            *options,
            shown,
        ]
        subprocess.run(command, check=True, capture_output=True, timeout=180)
        save(raw, image, width, height)


def save(raw: Path, image: Path, width: int, height: int) -> None:
    """Cut to size, and take fewer colours until the file is small enough."""
    from PIL import Image  # comes with matplotlib

    with Image.open(raw) as full:
        picture = full.convert("RGB").crop((0, 0, width, height))
    if len(picture.getcolors(2) or ()) == 1:
        raise SystemExit(f"{image.name} is of one colour: the page did not draw.")
    for colours in (256, 128, 64, 32):
        picture.quantize(colours).save(image, optimize=True)
        if image.stat().st_size <= MOST_BYTES:
            return
    raise SystemExit(f"{image} has {image.stat().st_size:,} bytes, more than {MOST_BYTES:,}.")


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]) if arguments else Path(__file__).parent / "_static"
    folder.mkdir(parents=True, exist_ok=True)
    program = browser()
    with TemporaryDirectory() as work:
        demo = Path(work) / "demo"
        here = Path(sys.executable).parent / "trueval"
        trueval = str(here) if here.exists() else "trueval"
        subprocess.run([trueval, "demo", "--out", str(demo)], check=True)
        report = demo / "report.html"
        if not report.is_file():
            raise SystemExit(f"'trueval demo' wrote no report.html, but {sorted(demo.iterdir())}.")
        for name, width, height, options in SHOTS:
            image = folder / f"{name}.png"
            shoot(program, report, image, width, height, options)
            print(f"{image}: {width} × {height}, {image.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
