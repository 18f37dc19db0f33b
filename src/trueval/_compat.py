"""Everything private that is taken from scikit-learn, in one place.

Each name has been there since scikit-learn 1.6; a release that moves one is mended here.
"""

from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils.validation import _check_method_params as check_method_params

__all__ = ["check_method_params", "safe_indexing"]
