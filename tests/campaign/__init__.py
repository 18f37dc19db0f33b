"""The whole reliability campaign: ``python -m tests.campaign [--hours H] [--only PART …]``.

::

    parts.py  the parts, each a function that runs one batch of cases
      kills, faults, disks   files: old or new, whatever happens while they are written
      suites                 bad inputs, fuzzing, chains of writing and reading, sanitizers
      golden                 the same folds everywhere
      differences, numbers   files and numbers as by other libraries
      memory, soak           what a call needs at its peak, and after an hour
      mutate, supply         whether tests notice errors; what is built, from what
    record.py   counts so far, in results.json: a run goes on where the last one stopped
    sources.py  the files that a part runs; a change of others keeps its counts
"""
