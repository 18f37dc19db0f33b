"""The values that travel, and what keeps them sound. Imports no other package of trueval.

::

    arrays, frames, label sets, files ──► Labels   0/1 matrix, checked CSR, read-only indices
                                          Scores   dense or sparse, finite, class-wise view cached
                                          Folds    part of each row, with provenance
                                          Pairs    ids of objects, numbered once (PairIndex)
                                            │
              names.align ─────────────────┤ rows and classes into one order, by name
                                            ▼
                 stratify · pairs · rank: rely on all of it, and check nothing again

A public constructor checks; ``_trusted`` takes over what trueval itself has made.

==================  ====================================================================
``errors.py``       problem, place and fix as data; warnings at the user's line
``params.py``       constraints on parameters as data, and the one check that reads them
``labels.py``       ``Labels``, ``as_labels``; ``label_forms.py`` reads frames and lists
``scores.py``       ``Scores``, ``as_scores``, scores and labels checked together
``folds.py``        ``Folds``, ``as_folds``, the fingerprint of labels
``pairs.py``        ``Pairs``, ``as_pairs``; ``id_columns.py`` reads ids, ``ids.py`` numbers them
``clusters.py``     clusters of objects
``names.py``        ``align``; ``named.py`` is what labels and scores share
``similarity.py``   ``Similarity``, graphs of similar rows; ``edges.py`` checks their edges
``groups.py``       groups of rows as numbers
``arrays.py``       row numbers, binary labels, real numbers
``sparse.py``       indices that fit their shape
``threads.py``      threads of this process, whatever backend is set around them
``random.py``       one rule for every ``random_state``
``files.py``        atomic writes, checksums, checkpoints
``provenance.py``   what must be known to make a result again
``table.py``        a small table; ``presentable.py`` its card, and those of all results
==================  ====================================================================
"""
