"""Columns of CAFA-evaluator and what they are called here."""

COLUMNS = {
    "n": "n",
    "tp": "tp",
    "fp": "misinformation",
    "fn": "remaining_uncertainty",
    "pr": "precision",
    "rc": "recall",
    "cov": "coverage",
    "f": "f",
    "s": "s",
    "pr_micro": "precision_micro",
    "rc_micro": "recall_micro",
    "f_micro": "f_micro",
}
