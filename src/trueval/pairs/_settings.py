"""What training has seen of the objects of a validation pair. Imports nothing heavy."""

__all__ = ["ALL", "BASELINE", "C_NAMES", "MEANING", "SETTINGS", "setting_name"]

#: All objects of the pair seen in training, some, or none.
SETTINGS = ("AA", "AB", "BB")

#: All settings together.
ALL = "all"

#: The names of Park and Marcotte (2012), which are accepted too.
C_NAMES = {"C1": "AA", "C2": "AB", "C3": "BB"}

#: The model that knows which objects a pair has, and no features.
BASELINE = "object identity"

MEANING = {
    "AA": "all objects seen in training (C1)",
    "AB": "some objects seen in training (C2)",
    "BB": "no object seen in training (C3)",
}


def setting_name(setting: str) -> str:
    """``"AA"``, ``"AB"`` or ``"BB"``, also where Park and Marcotte's name is given.

    >>> setting_name("C3"), setting_name("AB")
    ('BB', 'AB')
    """
    return C_NAMES.get(setting, setting)
