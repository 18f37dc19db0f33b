"""Published numbers of Heimonen, Salakoski and Pahikkala (2014), Tables 1 and 2.

K = 50, deviations of cross-validation estimates from the truth. The text copy of Table 1
has lost the strict A-10x column and the relaxed LTO of Union and CC.
"""

from trueval.study._published import read_published

__all__ = ["CITATION", "FIGURE_1", "FIGURE_2", "FIGURE_3", "GENERALIZATION", "TABLE_1", "TABLE_2"]

CITATION = (
    "Heimonen, Salakoski and Pahikkala (2014), Properties of object-level cross-validation "
    "schemes for symmetric pair-input data, S+SSPR 2014, LNCS 8621, 384-393"
)

_COLUMNS = ("A-10x", "P-10x", "LTO")

# Table 1: mean deviations.
TABLE_1 = read_published(
    """
    Union relaxed  0.1799  0.1870       -
    MF    relaxed  0.1509  0.1614  0.1642
    BP    relaxed  0.0673  0.0909  0.0907
    CC    relaxed  0.1745  0.1797       -
    Union strict        - -0.0209 -0.0187
    MF    strict        - -0.0282 -0.0285
    BP    strict        - -0.0402 -0.0410
    CC    strict        - -0.0290 -0.0246
    """,
    2,
    _COLUMNS,
)

# Table 2: variances of the deviations.
TABLE_2 = read_published(
    """
    Union relaxed 0.0020 0.0017 0.0009
    MF    relaxed 0.0032 0.0025 0.0012
    BP    relaxed 0.0111 0.0086 0.0027
    CC    relaxed 0.0016 0.0015 0.0009
    Union strict  0.0028 0.0028 0.0015
    MF    strict  0.0051 0.0046 0.0025
    BP    strict  0.0160 0.0147 0.0064
    CC    strict  0.0027 0.0028 0.0016
    """,
    2,
    _COLUMNS,
)

# Section 5: mean AUC on new objects, K = 50.
GENERALIZATION = {"Union": 0.5857, "MF": 0.6524, "BP": 0.7423, "CC": 0.6351}

# Figure 3, caption: from which K on the relaxed scheme has the smaller second moment. For BP
# "approximately K=30, K=60, or K=100" without saying which is which; for MF "well-separated".
FIGURE_3 = {"BP": "about 30, 60 or 100", "MF": "none"}

# Figure 1, as its caption and Section 1 describe it: how many members of a pair the data set (or,
# inside a fold, the training set of the strict scheme) has, and which scheme trains on it.
FIGURE_1 = read_published(
    """
    AA   2 - -
    AB   1 - -
    BB   0 - -
    AtAt 2 1 1
    AtAv 1 0 1
    AvAv 0 0 0
    """,
    1,
    ("seen", "strict", "relaxed"),
)

# Figure 2, as its caption describes it: six objects in parts of three or of two, fifteen
# pairs; those validated, and those validated twice.
FIGURE_2 = read_published(
    """
    object-2-fold              6 0
    object-3-fold              3 0
    overlapping-object-3-fold 15 3
    object-leave-two-out      15 0
    """,
    1,
    ("validated", "twice"),
)
