"""What trueval raises and warns about, shared by all rooms."""


class InputError(ValueError):
    """The data cannot be used as given; the message says what, where, and the fix."""


class RareClassWarning(UserWarning):
    """Some classes have fewer members than there are parts, so parts must lack them."""
