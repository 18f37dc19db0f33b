"""What each measure means, in one or two sentences: for the report and the glossary."""

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["MEASURES", "Measure", "measures_of"]


@dataclass(frozen=True)
class Measure:
    """A measure, or a word that measures need."""

    name: str  # as tables write it; several that belong together are separated by commas
    text: str  # the definition, without markup
    names_in_code: str = ""  # what the code calls it, if that differs; a sentence for the glossary

    @property
    def anchor(self) -> str:
        """Its place on a page.

        >>> Measure("LD, ED", "").anchor
        'measure-ld-ed'
        """
        words = "".join(c if c.isalnum() else " " for c in self.name.lower()).split()
        return "-".join(["measure", *words])


#: By name, in the order of the pages.
MEASURES = {
    measure.name: measure
    for measure in (
        Measure(
            "rLD",
            "Relative labels distribution: how far, on average, the share of a class in a part is "
            "from its share in all rows, divided by that share. 0 is perfect. All class sizes "
            "count alike.",
            "``rld_wanted`` (rLD* in tables of the studies) compares with the wanted part sizes "
            "instead of the actual ones. See :doc:`guide/split`.",
        ),
        Measure(
            "DCP",
            "Delta-class proportion: the share of a class's positives that are in its fullest "
            "part, minus the ideal share 1/k, averaged over classes. 0 is perfect.",
        ),
        Measure(
            "LD, ED",
            "Two older measures. LD (labels distribution) compares odds and favours large "
            "classes. ED (examples distribution) is the mean distance of part sizes from the "
            "wanted sizes, in rows.",
        ),
        Measure(
            "lower bound",
            "The smallest rLD or DCP that any split can reach. Counts are integers, so it is not "
            "0: seven positives cannot be divided evenly into five folds. A ratio of 1.00 to "
            "the lower bound is optimal.",
        ),
        Measure(
            "gap, avoidable gap",
            "A gap is a class without a positive in a part. It is avoidable if the class has "
            "enough positives for every part.",
            "``missing`` counts gaps, ``avoidable`` the avoidable ones.",
        ),
        Measure(
            "AUC",
            "Area under the ROC curve: the probability that a random positive is scored higher "
            "than a random negative, ties counting one half. 1 is perfect, 0.5 is chance.",
        ),
        Measure(
            "pooled AUC, averaged AUC",
            "Pooled: one AUC over the scores of all folds. Averaged: the mean of the folds' AUCs.",
        ),
        Measure(
            "null AUC",
            "The pooled AUC of a predictor that returns the positive rate of its training pairs. "
            "It has no skill, yet its pooled AUC is usually below 0.5.",
        ),
        Measure(
            "identity AUC",
            "The AUC of scoring each test pair by the positive rates of its two objects in "
            "training, without any feature. If it is high, the benchmark can be solved without "
            "learning about pairs.",
        ),
        Measure(
            "precision, recall, F",
            "Precision is the share of predictions that are positives; recall is the share of "
            "positives that are predicted; F is their weighted harmonic mean, in which F1 weighs "
            "both alike.",
        ),
        Measure(
            "average precision",
            "Area under the precision-recall curve as a sum of steps: the mean, over positives, "
            "of the precision at the score of the positive. A ranking without skill has the "
            "share of positives.",
        ),
        Measure(
            "micro average, macro average",
            "A micro average counts all (row, class) pairs of all classes as one list, so large "
            "classes weigh more. A macro average is the mean of the classes that have the "
            "measure, so all weigh alike.",
        ),
        Measure(
            "reliability",
            "Agreement between calibrated scores and observed rates: of the entries scored 0.8, "
            "eight in ten should be positives.",
        ),
        Measure(
            "interval",
            "A range for a result on new rows, from resampling rows (or objects), never single "
            "entries: of 90 % intervals, about nine in ten contain the result on rows drawn "
            "like these.",
        ),
    )
}


def measures_of(names: Iterable[str]) -> list[Measure]:
    """Measures by name, each once, in the order of the pages."""
    wanted = set(names)
    unknown = wanted - MEASURES.keys()
    assert not unknown, f"there is no measure {unknown}"
    return [measure for name, measure in MEASURES.items() if name in wanted]
