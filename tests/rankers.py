"""Rankers that read one curve for each class, for tests that go through all of them."""

from trueval import rank

CURVED = [
    getattr(rank, name)
    for name in (
        *("FDRRanker", "IsotonicRanker", "LocalPrecisionRate", "LocalTrueDiscoveryRate"),
        *("PValueRanker", "PrecisionRanker"),
    )
]
