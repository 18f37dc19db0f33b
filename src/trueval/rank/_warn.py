"""What is legal but doubtful about scores, and how it is said."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from trueval.core.errors import InputError, warn_user

__all__ = ["InSampleWarning", "OneClassWarning", "TargetWarning", "warn_of_troubles"]


class OneClassWarning(UserWarning):
    """Some classes cannot be ranked: no positives, no negatives, or constant scores."""


class InSampleWarning(UserWarning):
    """The scores look as if the model had seen these very labels."""


class TargetWarning(UserWarning):
    """The wanted precision, recall or number of calls cannot be met on these data."""


def warn_of_troubles(
    troubles: Sequence[str | None], classes: Any, fate: str, *, needs_some: bool = False
) -> None:
    """Say once which classes leave nothing to learn, how many, why, and what becomes of them.

    ``troubles`` says why a class cannot be ranked, None where it can. With ``needs_some``,
    data where no class can be are refused.
    """
    counts = Counter(t for t in troubles if t)
    n = sum(counts.values())
    if n == 0:
        return
    named = [str(classes[k]) for k, t in enumerate(troubles) if t][:3]
    text = ", ".join(f"{m} with {t}" for t, m in counts.items())
    text += f" ({'such as ' if n > len(named) else ''}{', '.join(named)})"
    if needs_some and n == len(troubles):
        raise InputError(
            f"no class can be ranked: {text}. A class needs positives, negatives and more than one "
            "score."
        )
    warn_user(f"{n} of {len(troubles)} classes {fate}: {text}.", OneClassWarning)
