"""``trueval demo``: every command on simulated data, step by step."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import click

from trueval.cli.files import Folder
from trueval.cli.options import command
from trueval.cli.run import Outcome, Run
from trueval.cli.types import Fields
from trueval.core.folders import make_folder

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

__all__ = ["demo", "steps"]


@command(
    "demo",
    short="Every command on simulated data: start here.",
    examples=("trueval demo --no-open", "trueval demo --out another-demo --json"),
)
@click.option(
    "--out",
    type=Folder(),
    metavar="DIR",
    default="trueval-demo",
    show_default=True,
    help="Folder for the files; made if it is not there.",
)
@click.option(
    "--open/--no-open",
    "open_it",
    default=None,
    help="Open the report in a browser [if there is one and a terminal].",
)
def demo(run: Run, *, out: str, open_it: bool | None) -> Outcome:
    """Run every command on a simulated proteome; nothing is downloaded.

    Splits, cross-validates a scikit-learn model, ranks its scores, selects predictions, validates
    a model of protein pairs, and writes a report. Takes less than a minute.
    """
    from trueval.cli.app import cli
    from trueval.cli.demo_data import write_inputs

    folder = make_folder(out)
    silent = run.quiet or run.as_json
    narrator = _Narrator(silent)
    with run.meter("Simulating a proteome"):
        counts = write_inputs(folder, run.seed)
    inputs = (
        *("labels.csv", "features.csv", "families.csv", "pairs.csv", "train.csv", "test.csv"),
        *("pair_scores.csv", "hits.m8", "ontology.obo", "training.tsv", "truth.tsv", "IA.txt"),
        "predictions.txt",
    )
    narrator.begin(counts, folder, len(inputs))
    run.outputs += [str(folder / name) for name in inputs]

    outcomes: Fields = {}
    said: set[str] = set()  # how a file is read is said once
    for number, step in enumerate(steps(out, run.seed), 1):
        narrator.step(number, step)
        if step["name"] == "model":
            _run_model(run, folder)
            narrator.wrote(step["files"])
        else:
            arguments = [*step["arguments"], *(["--quiet"] if silent else [])]
            outcomes[step["name"]] = cli.main(arguments, standalone_mode=False, obj=said).data
        run.outputs += step["files"]
    page = folder / "report.html"
    if open_it or (open_it is None and not silent and _somebody_looks()):
        click.launch(page.resolve().as_uri())
    outputs, run.outputs = run.outputs, []  # the steps have said what they wrote
    if run.as_json:
        run.outputs = outputs
    commands = [step["command"] for step in steps(out, run.seed)]
    data: Fields = {"folder": out, "report": str(page), "data": counts, "steps": outcomes}
    return Outcome(data | {"commands": commands}, narrator.end(page))


#: Name, title, what it is for, command, files it writes; ``@`` is the folder of the demo.
_STEPS = (
    (
        "split",
        "Split",
        "Folds in which every class has its share, next to three other methods.",
        "trueval split @labels.csv -k 5 --compare iterative --compare optisplit --compare random"
        " -o @folds.csv --save @split.json",
        ("folds.csv", "split.json"),
    ),
    (
        "model",
        "Cross-validate a model",
        "A logistic regression for each class, by scikit-learn: every score is out of fold.",
        "python @model.py",
        ("model.py", "scores.npz"),
    ),
    (
        "rank",
        "Rank",
        "Every class has its own model and its own scale. Which scores compare across classes?",
        "trueval rank @scores.npz @labels.csv --compare lpr --compare fdr --compare pvalue"
        " --compare raw -o @values.npz",
        ("values.npz",),
    ),
    (
        "decide",
        "Decide",
        "Predictions of which nine in ten will be correct, and what to expect on new data.",
        "trueval decide @scores.npz @labels.csv --precision 0.9 --compare lpr --compare raw"
        " --folds @folds.csv -o @calls.csv --save @calls.json",
        ("calls.csv", "calls.json"),
    ),
    (
        "pairs",
        "Validate a model of pairs",
        "Which proteins interact? A pair of known proteins is an easier question than a pair of "
        "new ones.",
        "trueval pairs @pairs.csv -k 5 --features @features.csv --compare -o @pair_folds.csv"
        " --save @pairs.json",
        ("pair_folds.csv", "pairs.json"),
    ),
    (
        "report",
        "Report",
        "All of it on one page that opens without a network.",
        "trueval report @ -o @report.html",
        ("report.html",),
    ),
)


class Step(TypedDict):
    """A step: what it is for, its command, and the files it writes."""

    name: str
    title: str
    why: str
    arguments: list[str]
    command: str
    files: list[str]


def steps(out: str, seed: int) -> list[Step]:
    """The steps of the demo."""
    import shlex

    def placed(word: str) -> str:
        if word == "@":
            return out
        return os.path.join(out, word[1:]) if word.startswith("@") else word

    plan: list[Step] = []
    for name, title, why, line, files in _STEPS:
        words = [placed(word) for word in line.split()]
        if seed and words[0] == "trueval":
            words += ["--seed", str(seed)]
        plan.append(
            {
                "name": name,
                "title": title,
                "why": why,
                "arguments": words[1:],
                "command": shlex.join(words),
                "files": [os.path.join(out, file) for file in files],
            }
        )
    return plan


def _run_model(run: Run, folder: Path) -> None:
    """Put the script into the folder and do what it does."""
    from trueval.cli import demo_model
    from trueval.core.files import atomic_write

    source = Path(demo_model.__file__).read_bytes()
    with atomic_write(folder / "model.py") as file:
        file.write(source)
    with run.meter("Cross-validating a logistic regression for each class"):
        demo_model.main(folder)


def _somebody_looks() -> bool:
    """Whether there is a terminal, a display and a browser."""
    import webbrowser

    if not (sys.stdout.isatty() and sys.stdin.isatty()):
        return False
    shows = sys.platform in ("win32", "darwin") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
    if not shows:
        return False
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True


class _Narrator:
    """Says what happens, step by step."""

    def __init__(self, silent: bool) -> None:
        self._console: Console | None = None
        if not silent:
            from trueval.cli.show import console

            self._console = console()

    def begin(self, counts: dict[str, int], folder: Path, n_inputs: int) -> None:
        self._say(
            f"A simulated proteome: {counts['proteins']:,} proteins, {counts['annotations']:,} "
            f"annotations with {counts['classes']} terms, {counts['pairs']:,} pairs."
        )
        self._say(f"Wrote {n_inputs} input files to {folder}{os.sep}")

    def step(self, number: int, step: Step) -> None:
        if self._console is None:
            return
        from rich.rule import Rule
        from rich.text import Text

        self._console.print()
        self._console.print(Rule(Text(f"{number}. {step['title']}", "bold"), align="left"))
        self._say(step["why"])
        # One line, however long, so that it can be copied.
        self._console.print(
            Text(f"$ {step['command']}", style="cyan"), soft_wrap=True, markup=False
        )

    def wrote(self, files: list[str]) -> None:
        self._say(f"Wrote {', '.join(files)}")

    def end(self, page: Path) -> "list[RenderableType]":
        from trueval.cli.show import heading

        return [
            "",
            heading(f"The report: {page}"),
            "Each line that begins with $ repeats its step; your own files go in the same places.",
        ]

    def _say(self, text: str) -> None:
        if self._console is not None:
            self._console.print(text, markup=False)
