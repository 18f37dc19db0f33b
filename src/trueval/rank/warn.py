"""What is legal but doubtful in this room."""

__all__ = ["InSampleWarning", "OneClassWarning", "TargetWarning"]


class OneClassWarning(UserWarning):
    """Some classes cannot be ranked: no positives, no negatives, or constant scores."""


class InSampleWarning(UserWarning):
    """The scores look as if the model had seen these very labels."""


class TargetWarning(UserWarning):
    """The wanted precision, recall or number of calls cannot be met on these data."""
