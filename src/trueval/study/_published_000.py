"""Published numbers of Tiittanen, Holm and Törönen (2022), Tables 2 and 3.

A dash stands where the paper has "n/a" or "error", and where its text copy is broken: the
rows of MEDIAMILL up to SS and of CC from IS on have slipped into each other, and single
digits are lost elsewhere.
"""

from trueval.study._published import read_published

__all__ = ["CITATION", "METHODS", "TABLE_2", "TABLE_3"]

CITATION = (
    "Tiittanen, Holm and Törönen (2022), Novel split quality measures for stratified multilabel "
    "cross validation with application to large and sparse gene ontology datasets, Applied "
    "Computing and Intelligence 2(1), 49-62"
)

# Table 2: data size, labels, density, class sizes (min, quartiles, max). For delicious it has
# 16015 rows; the data have 16105.
TABLE_2 = read_published(
    """
    bibtex        7395    159 0.0151  51    61    82   130   1042
    delicious    16015    983 0.0193  21    58   105   258   6495
    mediamill    43907    101 0.0433  31    93   312  1263  33869
    CC          577424   1688 0.0077   5    66   225   891 577410
    MF          637552   3452 0.0028  11    61   150   498 637533
    BP          666349  11288 0.0028   4    41   123   493 666338
    wiki10_31k   20762  30938 0.0006   2     2     3     6  16756
    synthetic   100000    100 0.2500  20 12512 25005 37497  50000
    """,
    1,
    ("rows", "classes", "density", "min", "25 %", "50 %", "75 %", "max"),
)

# Table 3: ED, LD, DCP, rLD, seconds, hours; means of 10 runs, 5 folds.
TABLE_3 = read_published(
    """
    bibtex     optisplit-rld   27 0.0004 0.0073 0.0234     5     -
    bibtex     optisplit-dcp   38 0.0005 0.0068 0.0315     5     -
    bibtex     optisplit-ld    24 0.0003 0.0082 0.0279     6     -
    bibtex     iterative2      16 0.0005 0.0143 0.0425     5     -
    bibtex     iterative       17 0.0007 0.0206 0.0604     -     -
    bibtex     sampling        57 0.0007 0.0173 0.0465     4     -
    bibtex     random           - 0.0022      - 0.1693     -     -
    bibtex     pmbsrs           - 0.0022 0.0558      -     -     -
    delicious  optisplit-rld   35 0.0010 0.0223 0.0666    75     -
    delicious  optisplit-dcp   28 0.0010 0.0215 0.0772    76     -
    delicious  optisplit-ld    23 0.0008 0.0306 0.0924    80     -
    delicious  iterative2      16 0.0012 0.0458 0.1357   381     -
    delicious  iterative       13 0.0013 0.0489 0.1461    11     -
    delicious  sampling        75 0.0007 0.0221 0.0625    40     -
    delicious  random           0 0.0015 0.0507 0.1515     1     -
    delicious  pmbsrs           2 0.0015 0.0512 0.1525     -     -
    mediamill  random           0 0.0019 0.0379 0.1142     1     -
    mediamill  pmbsrs           - 0.0019 0.0386 0.1150     1     -
    CC         optisplit-rld  193 8.1053 0.0065 0.0230  2762  0.77
    CC         optisplit-dcp    - 8.1195 0.0062 0.0248     -  0.80
    CC         optisplit-ld     -      - 0.0317 0.0923     -  0.84
    CC         iterative2       - 5.7025 0.0303 0.0894 204823    -
    MF         optisplit-rld  607 3.2147 0.0064 0.0229  4980  1.38
    MF         optisplit-dcp   89 3.1782 0.0063 0.0252  5209  1.45
    MF         optisplit-ld  3807 2.8137 0.0337 0.1025  5452  1.51
    MF         iterative2      84 3.0536 0.0490 0.1450 53646 14.90
    MF         iterative        1 2.7503 0.0490 0.1451 20442  5.68
    MF         sampling       656 4.7935 0.0129 0.0400  1018  0.28
    MF         random           0 6.2255 0.0493 0.1465     1     -
    MF         pmbsrs           1 4.8213 0.0498 0.1480    17     -
    BP         optisplit-rld  612 2.1053 0.0161 0.0516 59436 16.51
    BP         optisplit-dcp  173 2.0951 0.0156 0.0576 52412 14.56
    BP         optisplit-ld  5845 1.8147      -      - 56636 15.73
    BP         sampling         - 2.9140 0.0282      -     -     -
    wiki10_31k optisplit-rld 1678      -      -      -  3065  0.85
    wiki10_31k optisplit-dcp  367 0.0002 0.2373 0.8033  3053  0.85
    wiki10_31k optisplit-ld   712 0.0002 0.2995 0.9306     -  1.09
    wiki10_31k random           0 0.0002 0.3008 0.9316     1     -
    wiki10_31k pmbsrs           2 0.0002 0.3013 0.9323     1     -
    """,
    2,
    ("ED", "LD", "DCP", "rLD", "seconds", "hours"),
)

METHODS = (
    "optisplit-rld",
    "optisplit-dcp",
    "optisplit-ld",
    "iterative2",
    "iterative",
    "sampling",
    "random",
    "pmbsrs",
)
"""The paper's methods, in its order, by our names."""
