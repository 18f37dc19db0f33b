"""``pairs_stage``: what splits of pairs test, what they lose, and what they estimate."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from trueval.core.docs import shared_sections
from trueval.core.errors import InputError
from trueval.core.pairs import as_pairs
from trueval.core.params import NONE, Where, constrained
from trueval.pairs import PairAudit, Scheme, audit_pairs
from trueval.pairs._each_fold import each_fold
from trueval.report._section import Data
from trueval.report._stage import MAKES_STAGE, MAPPING, Stage
from trueval.report.sections.pairs._blocks import blocks_of
from trueval.show import summary
from trueval.show._pairs import PairValidation, audit_notes, scheme_names
from trueval.show._verdicts import audits_verdict

__all__ = ["pairs_stage", "splitters_stage", "validation_stage"]


@constrained(
    audits=(NONE, MAPPING),
    schemes=(NONE, Where(lambda schemes: all(map(dict, schemes)), "a sequence of mappings")),
    blocks=(NONE, MAPPING),
    provenance=(NONE, MAPPING),
)
@shared_sections(stage=MAKES_STAGE)
def pairs_stage(
    *,
    audits: Mapping[str, PairAudit] | None = None,
    schemes: Sequence[Data] | None = None,
    blocks: Mapping[str, Data] | None = None,
    provenance: Data | None = None,
) -> Stage:
    """Condense the validation of a pair-input model for the report.

    Parameters
    ----------
    audits : mapping of str to PairAudit, optional
        Splits by name, as :func:`~trueval.pairs.audit_pairs` judges them.
    schemes : sequence of mappings, optional
        One for each way of validating, with any of ``scheme``, ``setting``,
        ``overlapping``, ``n_folds``, ``n_excluded``, ``averaged``, ``pooled``,
        ``null_pooled`` (AUC), ``validated`` and ``never`` (pairs, or their share),
        ``dropped`` (a share) and ``model``.
    blocks : mapping of str to dict, optional
        Pictures by name, as :func:`blocks_of` makes them.
    {stage}

    Examples
    --------
    >>> from trueval.pairs import audit_pairs
    >>> from trueval.report import pairs_stage
    >>> audit = audit_pairs([("a", "b"), ("b", "c"), ("a", "c")], [0, 1], [2])
    >>> pairs_stage(audits={"published": audit}).data["audits"][0]["counts"]
    {'AA': 1, 'AB': 0, 'BB': 0}
    """
    if not (audits or schemes or blocks):
        raise InputError("pairs_stage needs audits, schemes or blocks to show. Got none.")
    lines = [Scheme.of(scheme, place) for place, scheme in enumerate(schemes or ())]
    validation = PairValidation(None, lines, audits or {})
    return validation_stage(validation, blocks or {}, provenance)


def validation_stage(
    validation: PairValidation,
    blocks: Mapping[str, Data],
    provenance: Data | None = None,
) -> Stage:
    """A stage from a validation, and pictures of its folds by name."""
    schemes = validation.schemes
    data = {
        "summary": summary(validation).to_dict(),
        "audits": [_audit(name, audit) for name, audit in validation.audits.items()],
        "schemes": [
            {"name": name, **asdict(scheme)}
            for name, scheme in zip(scheme_names(schemes), schemes, strict=True)
        ],
        "blocks": [{"name": name, **picture} for name, picture in blocks.items()],
    }
    return Stage("pairs", data, provenance or {})


def splitters_stage(
    pairs: Any,
    y: Any,
    splitters: Mapping[str, Any],
    validation: PairValidation,
    symmetric: bool | Sequence[Any],
    provenance: Data,
) -> Stage:
    """A stage with what the first fold of each splitter tests, and its picture."""
    index = as_pairs(pairs, symmetric=symmetric)
    audits, blocks = {}, {}
    for name, cv in splitters.items():
        fold = next(each_fold(cv, pairs, y, index))
        if len(fold.test):
            audits[f"{name}, first fold"] = audit_pairs(
                pairs, fold.train, fold.test, y=y, symmetric=symmetric
            )
        if fold.held_out is not None:
            blocks[name] = blocks_of(cv, pairs, y)
    return validation_stage(replace(validation, audits=audits), blocks, provenance)


def _audit(name: str, audit: PairAudit) -> Data:
    verdict = audits_verdict([audit])
    fields = (
        "setting", "counts", "cluster_counts", "n_train", "n_test", "n_leaked", "n_shared_rows",
        "n_objects_train", "n_objects_test", "n_shared_objects", "n_leaked_conflicts",
        "identity_auc", "identity_auc_by_role",
    )  # fmt: skip
    return {
        "name": str(name),
        **{field: getattr(audit, field) for field in fields},
        "verdict": {"text": verdict.text, "level": verdict.level},
        "facts": audit_notes(audit),
    }
