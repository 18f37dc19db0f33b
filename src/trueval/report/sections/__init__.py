"""One folder for each kind of result; see :mod:`trueval.report._section`."""
