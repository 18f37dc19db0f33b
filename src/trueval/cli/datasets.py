"""``trueval data``: the catalogue of public data sets."""

from typing import TYPE_CHECKING

import click

from trueval.cli.options import command
from trueval.cli.run import Outcome, Run
from trueval.cli.types import Fields

if TYPE_CHECKING:
    from trueval.data.catalogue._entries import DatasetInfo
    from trueval.show._summary import Cell

__all__ = ["data"]


def _names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from trueval.data.catalogue import CATALOGUE

    return [name for name in CATALOGUE if name.startswith(incomplete)]


@click.group("data", context_settings={"help_option_names": ["-h", "--help"]})
def data() -> None:
    """List, describe and fetch public data sets."""


@command("list", examples=("trueval data list",))
def list_(run: Run) -> Outcome:
    """List the data sets, and where each is: a folder, the cache, or how to get it."""
    from trueval.cli.show import table
    from trueval.data import list_datasets

    datasets = list_datasets()
    names = ("name", "kind", "rows", "classes", "positives", "where")
    # A count of 0 in the catalogue is one that is not known.
    cells = zip(*(datasets[name].tolist() for name in names), strict=True)
    rows = [[cell or None for cell in row] for row in cells]
    lines = [
        table(["name", "<kind", "rows", "classes", "positives", "<where"], rows),
        "Files are looked for in the folder TRUEVAL_DATA names, then in the cache. "
        "'trueval data info NAME' says how to get the others.",
    ]
    columns = {name: datasets[name].tolist() for name in datasets}
    entries = [
        {key: value if value != 0 else None for key, value in zip(columns, row, strict=True)}
        for row in zip(*columns.values(), strict=True)
    ]
    return Outcome({"datasets": entries}, lines)


@command("info", examples=("trueval data info bibtex",))
@click.argument("name", shell_complete=_names)
def info(run: Run, *, name: str) -> Outcome:
    """Describe the data set NAME: shape, files, licence, what to cite."""
    from trueval.cli.show import heading, table
    from trueval.data.catalogue import status

    entry = _entry(name)
    there = status(entry)
    facts: dict[str, Cell] = {
        key: getattr(entry, key)
        for key in ("kind", "rows", "classes", "positives", "features", "licence", "citation")
    }
    facts |= {key: getattr(entry, key) for key in ("origin", "home", "note")}
    facts |= {"where": there.where, "how": there.how}
    rows = [[key, value] for key, value in facts.items() if value]
    every = [*entry.files.values(), *entry.published.values()]
    files = [
        [file.name, file.size, (file.sha256 or "unknown")[:12], "yes" if file.url else "no"]
        for file in every
    ]
    lines = [
        heading(entry.name),
        table(["", "<"], rows),
        table(["file", "bytes", "<sha256", "<can be fetched"], files),
    ]
    known: Fields = {"name": entry.name, **facts}
    known["files"] = [
        {"name": f.name, "bytes": f.size, "sha256": f.sha256, "url": f.url} for f in every
    ]
    return Outcome(known, lines)


@command("get", examples=())
@click.argument("name", shell_complete=_names)
@click.option("--no-fetch", is_flag=True, help="Only look on this machine.")
@click.option(
    "--accept-unknown",
    is_flag=True,
    help="Fetch files whose checksum is not known, and record what came.",
)
def get(run: Run, *, name: str, no_fetch: bool, accept_unknown: bool) -> Outcome:
    """Fetch the data set NAME to the cache if it is not here, and check it.

    Example: trueval data get bibtex
    """
    from trueval.data import load_dataset

    _entry(name)
    with run.meter(f"Getting {name}") as meter:
        dataset = load_dataset(
            name, fetch=not no_fetch, accept_unknown=accept_unknown, progress=meter
        )
    return Outcome({"name": name, "loaded": repr(dataset)}, [f"{dataset!r} is here, and whole."])


def _entry(name: str) -> "DatasetInfo":
    import difflib

    from trueval.data.catalogue import CATALOGUE

    if name not in CATALOGUE:
        near = difflib.get_close_matches(name, CATALOGUE, 1)
        meant = f" Did you mean {near[0]!r}?" if near else ""
        raise click.BadParameter(
            f"there is no data set {name!r}.{meant} 'trueval data list' shows all.",
            param_hint="NAME",
        )
    return CATALOGUE[name]


for _command in (list_, info, get):
    data.add_command(_command)
