"""The deviation study of the object-level cross-validation paper: paper beside measured.

Run as ``python -m benchmarks.pairs_deviation deviation|simulated``. Real data are read from the
folder in ``TRUEVAL_DATA``.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from benchmarks import data as data_sets
from trueval.data import simulate
from trueval.pairs import deviation_study

DATASETS = ("Union", "MF", "BP", "CC")
ESTIMATES = ("averaged", "pooled", "leave-two-out")
SHORT = {"averaged": "A-10x", "pooled": "P-10x", "leave-two-out": "LTO"}
# Tables 1 and 2 of paper 001, K = 50; None where the text copy of Table 1 lost the cell.
PAPER_MEAN = {
    "relaxed": {
        "Union": (0.1799, 0.1870, None),
        "MF": (0.1509, 0.1614, 0.1642),
        "BP": (0.0673, 0.0909, 0.0907),
        "CC": (0.1745, 0.1797, None),
    },
    "strict": {
        "Union": (None, -0.0209, -0.0187),
        "MF": (None, -0.0282, -0.0285),
        "BP": (None, -0.0402, -0.0410),
        "CC": (None, -0.0290, -0.0246),
    },
}
PAPER_VARIANCE = {
    "relaxed": {
        "Union": (0.0020, 0.0017, 0.0009),
        "MF": (0.0032, 0.0025, 0.0012),
        "BP": (0.0111, 0.0086, 0.0027),
        "CC": (0.0016, 0.0015, 0.0009),
    },
    "strict": {
        "Union": (0.0028, 0.0028, 0.0015),
        "MF": (0.0051, 0.0046, 0.0025),
        "BP": (0.0160, 0.0147, 0.0064),
        "CC": (0.0027, 0.0028, 0.0016),
    },
}
PAPER_GENERALIZATION = {"Union": 0.5857, "MF": 0.6524, "BP": 0.7423, "CC": 0.6351}


def data_folder() -> Path:
    folder = data_sets.data_folder()
    if folder is None or not folder.is_dir():
        sys.exit("Set TRUEVAL_DATA to the folder with the real data.")
    return folder


def swissprot(domain: str, most: float = 1.0, as_counts: bool = False):
    folder = data_folder()
    with np.load(folder / "swissprot_go_2014_aac.npz") as file:
        counts, length = file["X"], file["length"]
    with np.load(folder / "swissprot_go_2014_bigrams.npz") as file:
        bigrams = file["X"]
    terms = sp.load_npz(folder / "swissprot_go_2014_direct_Y.npz").tocsr()
    if domain != "Union":
        import gzip

        with gzip.open(folder / "swissprot_go_2014_labels.tsv.gz", "rt") as file:
            lines = file.read().splitlines()
        place = lines[0].split("\t").index("ontology")
        own = np.array([line.split("\t")[place] == domain for line in lines[1:]])
        terms = terms[:, np.flatnonzero(own)]
    if most < 1.0:  # without the terms that a larger share of all proteins has
        common = np.bincount(terms.indices, minlength=terms.shape[1]) > most * terms.shape[0]
        terms = terms[:, np.flatnonzero(~common)]
    annotated = np.flatnonzero(np.diff(terms.indptr) > 0)
    features = np.hstack(
        [counts[annotated] / length[annotated, None], bigrams[annotated] / 65535.0]
    )
    if as_counts:
        features[:, :20] *= length[annotated, None]
        features[:, 20:] *= length[annotated, None] - 1.0
    return features, terms[annotated]


def deviation(args):
    studies = {}
    for domain in args.domains:
        features, terms = swissprot(domain, args.most, args.counts)
        start = time.process_time()
        checkpoint = None
        if args.checkpoints:
            Path(args.checkpoints).mkdir(parents=True, exist_ok=True)
            checkpoint = Path(args.checkpoints) / f"deviation_{domain}.npz"
        studies[domain] = deviation_study(
            features,
            terms,
            n_repeats=args.repeats,
            random_state=args.seed,
            n_jobs=args.jobs,
            checkpoint=checkpoint,
            progress=_show_progress(domain) if sys.stderr.isatty() else None,
        )
        print(
            f"{domain}: {len(features):,} proteins, {args.repeats} repeats, "
            f"{time.process_time() - start:.0f} s CPU",
            flush=True,
        )
    show_tables(studies)


def simulated(args):
    proteins = simulate.protein_families(args.objects, random_state=args.seed)
    study = deviation_study(
        proteins.features,
        proteins.terms,
        n_repeats=args.repeats,
        n_test_pairs=min(10_000, args.objects // 4),
        random_state=args.seed,
        n_jobs=args.jobs,
    )
    print(study)


def show_tables(studies):
    k = 50
    for title, column, paper, digits in (
        ("Table 1: mean deviation", "mean", PAPER_MEAN, 4),
        ("Table 2: variance of the deviation", "variance", PAPER_VARIANCE, 4),
    ):
        print(f"\n{title}, K = {k}: paper / measured (standard error)")
        print("| set | scheme | " + " | ".join(SHORT.values()) + " |")
        print("|---|---|---|---|---|")
        for domain, study in studies.items():
            for scheme in ("relaxed", "strict"):
                cells = []
                for e, estimate in enumerate(ESTIMATES):
                    theirs = paper[scheme][domain][e]
                    left = "lost" if theirs is None else f"{theirs:.{digits}f}"
                    ours = study.moment(column, scheme, estimate, k)
                    error = study.moment(f"{column}_se", scheme, estimate, k)
                    cells.append(f"{left} / {ours:.{digits}f} ({error:.{digits}f})")
                print(f"| {domain} | {scheme} | " + " | ".join(cells) + " |")
    print("\nGeneralization AUC, K = 50, and positive rate")
    print("| set | paper | measured | positive rate | folds excluded |\n|---|---|---|---|---|")
    for domain, study in studies.items():
        ours = study.truths[:, study.values.index(k)].mean()
        total = study.n_repeats * study.n_splits
        print(
            f"| {domain} | {PAPER_GENERALIZATION[domain]:.4f} | {ours:.4f} | "
            f"{study.rates.mean():.4f} | {int(study.excluded.sum())} of {total} |"
        )
    for domain in ("BP", "MF"):
        if domain not in studies:
            continue
        study = studies[domain]
        print(f"\nFigure 3, {domain}: second moment about zero x 1000, by K")
        print("| scheme | estimate | " + " | ".join(map(str, study.values)) + " |")
        print("|---|---|" + "---|" * len(study.values))
        for scheme in ("relaxed", "strict"):
            for estimate in ESTIMATES:
                cells = [
                    f"{1000 * study.moment('second_moment', scheme, estimate, v):.1f}"
                    for v in study.values
                ]
                print(f"| {scheme} | {SHORT[estimate]} | " + " | ".join(cells) + " |")
        for estimate in ESTIMATES:
            worse = [
                v
                for v in study.values
                if study.moment("second_moment", "strict", estimate, v)
                > study.moment("second_moment", "relaxed", estimate, v)
            ]
            theirs = "about 30, 60 or 100" if domain == "BP" else "none"
            print(
                f"{SHORT[estimate]}: strict worse from K = {worse[:1] or 'none'} (paper: {theirs})"
            )
    print("\nNull of the pooled AUC (a predictor of the training rate; should be 0.5)")
    for domain, study in studies.items():
        means = np.nanmean(study.nulls, axis=0)
        print(
            f"{domain}: relaxed P-10x {means[0, 1]:.3f} LTO {means[0, 2]:.3f}; "
            f"strict P-10x {means[1, 1]:.3f} LTO {means[1, 2]:.3f}"
        )


def _show_progress(name):
    def show(done, total):
        print(f"\r{name} {done}/{total}", end="\n" if done == total else "", file=sys.stderr)

    return show


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.pairs_deviation", description=__doc__
    )
    commands = parser.add_subparsers(required=True)
    for work, defaults in (
        (simulated, {"objects": 40_000, "repeats": 100, "seed": 0, "jobs": 1}),
        (deviation, {"repeats": 200, "seed": 2014, "jobs": 1}),
    ):
        command = commands.add_parser(work.__name__, help=work.__doc__)
        for name, value in defaults.items():
            command.add_argument(f"--{name}", type=int, default=value)
        if work is deviation:
            command.add_argument(
                "--most", type=float, default=1.0, help="drop terms that a larger share has"
            )
            command.add_argument(
                "--counts", action="store_true", help="counts in place of frequencies"
            )
            command.add_argument("--checkpoints", help="folder for resumable results")
            command.add_argument("--domains", nargs="+", choices=DATASETS, default=DATASETS)
        command.set_defaults(work=work)
    args = parser.parse_args()
    return args.work(args) or 0


if __name__ == "__main__":
    sys.exit(main())
