"""What asv follows from commit to commit: time, peak memory and quality of the main paths.

``time_`` and ``peakmem_`` are measured by asv; ``track_`` gives a figure of quality. Every class
has its sizes in ``params``; ``tests/test_asv.py`` calls each once with ``SMALL`` sizes.
"""
