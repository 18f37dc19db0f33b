"""Values as JSON can hold them."""

import json
import math
from collections.abc import Mapping
from typing import Any

__all__ = ["plain", "safe_json"]


def plain(value: Any) -> Any:
    r"""Dicts, lists, str, int, float, bool and None only; NaN and infinities become None.

    A surrogate, as in a file name that is not UTF-8, becomes its number: no file could hold it.

    >>> import numpy as np
    >>> plain({"a": np.array([1.5, np.nan]), 2: np.int64(3), "c": ("x", None)})
    {'a': [1.5, None], '2': 3, 'c': ['x', None]}
    >>> plain("y\udcff.csv")
    'y\\udcff.csv'
    """
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        # Subclasses of float (an AUC) would print themselves in another way.
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {plain(str(key)): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return str(value)


def safe_json(value: Any) -> str:
    r"""JSON that can be put inside a script element, whatever its strings hold.

    >>> safe_json({"name": "</script>"})
    '{"name":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
