"""Every statement of the three papers: where it is implemented, and which study shows it.

The one source of the table in the documentation, and of the lines of ``trueval study list`` for
tables that cannot be made again. ``tests/study/test_statements.py`` fails where a name, a test or a
study does not exist. The status is derived, never typed.
"""
# ruff: noqa: E501 - one line a statement

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from importlib import import_module

__all__ = ["STATEMENTS", "STATUSES", "Statement", "exists", "without_study"]

STATUSES = ("covered", "partly", "not")


@dataclass(frozen=True)
class Statement:
    """A statement of a paper.

    Attributes
    ----------
    paper : str
        Its number.
    kind : str
        Figure, table, theorem, corollary, algorithm, measure, method, protocol, data, remark or
        future work.
    text : str
        What the paper says, in our words, with the place.
    where : tuple of str
        Public names, and tests as ``tests/…::test_…``.
    studies : tuple of str
        What shows it.
    missing : str
        What is not there.
    """

    paper: str
    kind: str
    text: str
    where: tuple[str, ...]
    studies: tuple[str, ...] = ()
    missing: str = ""

    def status(self, studies: Collection[str], named: Callable[[str], bool] | None = None) -> str:
        """Covered, partly or not, by what exists.

        >>> Statement("000", "figure", "", (), ("000-figure2",)).status({"000-figure2"})
        'covered'
        >>> Statement("000", "figure", "", (), ("000-figure2",)).status({})
        'not'
        """
        named = named or exists
        names = [n for n in self.where if not n.startswith("tests/")]
        present = [named(n) for n in names] + [s in studies for s in self.studies]
        if all(present) and not self.missing:
            return STATUSES[0]
        return STATUSES[1] if any(present) else STATUSES[2]


def exists(name: str) -> bool:
    """Whether a dotted name can be imported.

    >>> exists("trueval.stratify.split_quality"), exists("trueval.stratify.no_such_thing")
    (True, False)
    """
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            value = import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            if not hasattr(value, part):
                return False
            value = getattr(value, part)
        return True
    return False


def without_study(studies: Collection[str]) -> list[tuple[str, str, str]]:
    """Figures, tables, theorems and corollaries that have no study of their name.

    Returns
    -------
    list of (paper, statement, what to run or why there is none)
    """
    rows = []
    for statement in STATEMENTS:
        if statement.kind not in ("figure", "table", "theorem", "corollary"):
            continue
        named = re.match(r"(Figure|Table|Theorem|Corollary) (\d+)", statement.text)
        name = f"{statement.paper}-{named[1].lower()}{named[2]}" if named else ""
        present = [study for study in statement.studies if study in studies]
        if name in studies or (not named and present):
            continue
        reason = f"see {', '.join(present)}" if present else statement.missing or "no study yet"
        rows.append((statement.paper, statement.text, reason))
    return rows


def _of(paper: str, rows: str) -> list[Statement]:
    """Statements from lines ``kind | text | where | studies | missing``; ~ is ``trueval.``."""
    statements = []
    for line in rows.strip().splitlines():
        kind, text, where, studies, missing = (cell.strip() for cell in line.split("|"))
        names = tuple(name.replace("~", "trueval.") for name in where.split())
        statements.append(Statement(paper, kind, text, names, tuple(studies.split()), missing))
    return statements


STATEMENTS: tuple[Statement, ...] = (
    *_of(
        "000",
        """
        measure | LD, ED, rLD and DCP, for each class and as means (eqs. 3.1–3.4) | ~stratify.measures.ld ~stratify.measures.ed ~stratify.measures.rld ~stratify.measures.dcp tests/stratify/test_measures.py::test_measures_equal_the_formulas | 000-figure2 000-figure3 |
        protocol | Classes without positives or without negatives are excluded (5.3) | ~stratify.SplitQuality tests/stratify/test_quality.py::test_classes_without_negatives_are_left_out_of_the_means | 000-table2 |
        algorithm | Algorithm 1 takes any measure with class scores as its input (4) | ~stratify.optisplit.optisplit_folds tests/stratify/test_algorithm1.py::test_a_callable_does_what_the_named_measure_does ~stratify.anneal.anneal_folds tests/stratify/test_objectives.py::test_each_measure_is_lowest_where_it_was_asked_for | 000-table3 |
        algorithm | Algorithm 1: random start, worst class first, offset, undo, epochs | ~stratify.optisplit.optisplit_folds tests/stratify/test_optisplit.py::test_kernel_equals_algorithm_1 tests/stratify/test_algorithm1.py::test_published_rows_equal_the_published_program | 000-table3 |
        algorithm | Train/test splits by the same algorithm (4) | ~stratify.train_test_split ~stratify.MultilabelStratifiedShuffleSplit tests/stratify/test_parts.py::test_unequal_parts_are_within_one_row_of_their_share | |
        remark | It can refine the folds of another, faster method (4) | ~stratify.stratified_folds tests/stratify/test_optisplit.py::test_starting_from_a_good_split_keeps_it_good tests/cli/test_measure.py::test_folds_of_a_file_are_a_start | |
        remark | Classes with more positives than negatives are balanced on the negatives (4) | ~stratify.optisplit.optisplit_folds tests/stratify/test_optisplit.py::test_majority_class_is_balanced | |
        remark | It needs no parameters that depend on the data (4) | ~stratify.METHODS | 000-table3 |
        method | IS, SOIS, SS with recursion, PMBSRS and random splits (2) | ~stratify.iterative.iterative_folds ~stratify.iterative.iterative2_folds ~stratify.sampling.sampling_folds ~stratify.pmbsrs.pmbsrs_folds ~stratify.random.random_folds tests/stratify/test_label_sets.py::test_iterative_stratification_of_any_order | 000-table3 |
        figure | Figure 1: a random and a stratified split of 24 points | tests/study/test_split_studies.py::test_figure_1_has_the_sizes_of_the_paper | 000-figure1 |
        table | Table 1: the methods | ~stratify.METHODS | 000-table1 |
        figure | Figure 2 A–D: LD depends on class size, rLD does not | tests/study/test_studies.py::test_one_fold_is_one_term_of_the_measures | 000-figure2 |
        figure | Figure 3: three splits of SYNTHETIC (5.1) | ~data.simulate.synthetic ~data.simulate.synthetic_folds tests/study/test_studies.py::test_synthetic_scores_are_those_of_the_design | 000-figure3 |
        table | Table 2: the data | tests/study/test_split_studies.py::test_the_root_is_a_class_of_all_annotated_rows | 000-table2 | mediamill and the authors' CC, MF and BP are not public; mediamill is used where it is present, Swiss-Prot 2014 stands for the others
        table | Table 3: all methods on all data, with run times | tests/stratify/test_algorithm1.py::test_published_rows_equal_the_published_program | 000-table3 | the data of Table 2 that are not public
        remark | Observations of 5.4: correlations, orders, ED, LD of PMBSRS | tests/study/test_split_studies.py::test_sentences_hold_in_the_paper_where_it_says_so | 000-sentences |
        remark | The other family of quality measures applies a model on the folds (3) | tests/study/test_split_studies.py::test_bias_and_spread_by_hand | 000-models |
        remark | Folds for stacking and parameter search (1) | ~stratify.MultilabelStratifiedKFold tests/stratify/test_stacking.py::test_the_final_model_of_a_stack_sees_held_out_probabilities tests/stratify/test_splitters.py::test_grid_search_over_a_pipeline | |
        future work | Sparse operations for larger data (6) | ~stratify.stratified_folds | 000-table3 |
        future work | Annealing (6), and a comparison with EvoSplit (6) | ~stratify.anneal.anneal_folds ~stratify.evosplit.evosplit_folds ~stratify.label_pair_distribution tests/stratify/test_evosplit.py::test_the_best_of_all_splits_is_found tests/stratify/test_evosplit.py::test_fronts_are_those_of_the_definition | 000-table1 000-models |
        """,
    ),
    *_of(
        "001",
        """
        protocol | Strict and relaxed schemes; settings AA, AB and BB | ~pairs.ObjectKFold ~pairs.audit_pairs tests/pairs/test_splitters.py::test_each_setting_is_what_the_audit_says | 001-figure2 |
        protocol | One label for a pair and its mirror image | ~pairs.as_pairs tests/pairs/test_splitters.py::test_replicates_and_mirror_images_stay_together | |
        measure | AUC with ties as one half; averaged and pooled | ~pairs.averaged_auc ~pairs.pooled_auc tests/pairs/test_auc.py::test_averaged_pooled_and_within | 001-table1 |
        figure | Figure 2: object n-fold, overlapping and leave-two-out | ~pairs.ObjectLeaveTwoOut tests/pairs/test_splitters.py::test_figure_2_of_the_paper | 001-figure2 |
        figure | Figure 1: settings and folds | ~displays.PairBlocksDisplay | 001-figure1 |
        table | Tables 1 and 2: deviation and variance over 1,000 draws | ~pairs.deviation_study tests/pairs/test_deviation.py::test_fast_way_equals_refits | 001-table1 001-table2 |
        figure | Figure 3: error against K | ~displays.DeviationDisplay | 001-figure3 |
        data | Proteins of UniProt with an annotation of the domain | ~data.read_uniprot ~data.read_fasta tests/data/test_sequences.py::test_a_domain_has_the_proteins_annotated_in_it | |
        data | Features: amino acids and bigrams of classes; sums for pairs | ~data.sequence_features tests/data/test_sequences.py::test_features_letter_by_letter | |
        data | A pair is positive if the proteins share a term | ~data.shared_term_pairs tests/data/test_sequences.py::test_pairs_by_sets | |
        table | Values of MF and BP | ~pairs.deviation_study | 001-variants | the paper does not say how its terms were chosen; readings that come near are shown
        future work | Other learners and data (5.1) | ~pairs.deviation_study | 001-learners |
        future work | Whether deviations grow with performance (5.1) | ~pairs.deviation_study | 001-skill |
        future work | Other ways to select validation sets (5.1) | ~pairs.RepeatedObjectKFold ~pairs.ObjectShuffleSplit ~pairs.ObjectLeavePOut ~pairs.ObjectBootstrap tests/pairs/test_deviation_schemes.py::test_estimates_are_those_of_refits | 001-schemes |
        future work | Incomplete pair sets, and AB predictions (5.1) | ~pairs.ObjectKFold tests/pairs/test_splitters.py::test_one_pass_yields_all_three_settings | 001-schemes |
        remark | Expected order of variances, and trends with K | tests/study/test_published.py::test_pair_deviations_are_as_the_text_describes_them tests/pairs/test_deviation.py::test_the_papers_picture_without_its_data | 001-table2 001-figure3 001-trends |
        """,
    ),
    *_of(
        "002",
        """
        measure | Pooled precision, recall and F (2.1, A) | ~rank.pooled_precision_recall_curve ~rank.f_measure tests/rank/test_curves.py::test_equal_to_scikit_learn | 002-figure1 |
        theorem | Theorem 1: calls of the highest LPR are best at every rate | tests/rank/test_theorem.py::test_no_calls_beat_those_of_highest_rate | 002-theorem1 |
        algorithm | Algorithm 1: LPR by local quadratic fits | ~rank.LocalPrecisionRate tests/rank/test_rate.py::test_rates_and_own_weights_are_those_of_the_definition | 002-table2 |
        algorithm | The bandwidth by leaving one out, as a function of M (C2) | ~rank.LocalPrecisionRate tests/rank/test_rate.py::test_the_rate_converges_with_the_default_rule | 002-bandwidth |
        corollary | Corollary 1: bias, variance and rate of LPR | ~rank.LocalPrecisionRate.interval tests/rank/test_rate.py::test_intervals_hold_the_truth | 002-corollary1 |
        corollary | Corollary 2: rate of ltdr | ~rank.LocalTrueDiscoveryRate | 002-corollary2 |
        remark | LPR is 1 − lFDR; the MAP rule calls above one half | ~rank.pick_threshold tests/rank/test_bayes.py::test_map_is_half_and_costs_are_counted | |
        method | ltdr by kernel densities | ~rank.LocalTrueDiscoveryRate | 002-table2 |
        method | p-value and FDR; optimal thresholds | ~rank.PValueRanker ~rank.FDRRanker ~rank.OptimalThresholds | 002-table2 002-table3 |
        remark | fdrtool is much worse than all others | ~rank.HalfNormalRanker tests/rank/test_rivals.py::test_half_normal_fit_is_much_worse | 002-rivals |
        table | Tables 2 to 5: Simulations I and II | ~data.simulate.simulation_one ~data.simulate.simulation_two tests/rank/test_simulations.py::test_cells_of_the_papers_tables | 002-table2 002-table3 002-table4 002-table5 |
        table | Table 1: settings of the simulations | tests/rank/test_simulations.py::test_table_1 | 002-table2 |
        figure | Figure 1: precision-recall curves on GEO | ~displays.PrecisionRecallDisplay | 002-figure1 | the GEO data are not public; the curves are of the simulations
        table | Tables 6 and 7: GEO, first and two-stage methods | ~rank.PrecisionRecallCurve.at_recalls tests/rank/test_curves.py::test_precision_and_recall_at_given_values | 002-table6 002-table7 | the data and the two-stage program are not public; simulated and Swiss-Prot scores stand for them
        table | Table 8: Yeast, Scene and RCV1v2 | tests/study/test_studies.py::test_shifted_label_columns_are_put_back | 002-table8 |
        remark | Cyclic optimisation (Fan and Lin 2007) | ~rank.CyclicThresholds tests/rank/test_rivals.py::test_every_start_ends_at_the_maximum | 002-rivals |
        remark | Probabilistic thresholds (Quevedo 2012); rank and proportion cuts | ~rank.ExpectedFCut ~rank.RankCut ~rank.ProportionCut ~rank.ScoreCut | 002-rivals |
        remark | Large-margin scores may be turned into probabilities first | ~rank.RankedClassifier tests/rank/test_platt.py::test_a_calibrated_large_margin_classifier_can_be_ranked tests/rank/test_platt.py::test_rates_depend_on_ranks_alone_so_platts_sigmoid_changes_nothing | |
        remark | Examine G by scatter plots, and whether it is smooth (6) | ~rank.examine_precision ~displays.PrecisionRankDisplay tests/rank/test_jumps.py::test_examination_tells_kinks_from_smooth_curves | |
        future work | Piecewise smooth G with change points (6) | ~rank.LocalPrecisionRate tests/rank/test_jumps.py::test_no_window_reaches_over_a_jump | 002-options |
        remark | Boundary effect (6) | ~rank.LocalPrecisionRate | 002-corollary1 |
        remark | Kernels of different orders for G and its slope (C.2) | ~rank.LocalPrecisionRate tests/rank/test_rate.py::test_separate_bandwidths_are_two_fits | 002-options |
        future work | Rates from neighbouring classifiers of the hierarchy (6) | ~rank.HierarchicalRanker ~rank.hierarchical_order ~rank.hierarchical_fdr ~rank.make_consistent tests/rank/test_hierarchical.py::test_independent_scores_prefer_mlpr_and_shared_errors_do_not | 002-hierarchy |
        protocol | Random, not stratified, ten folds of Yeast and Scene (5) | tests/study/test_studies.py::test_a_small_run_has_its_columns | 002-table8 |
        """,
    ),
)
