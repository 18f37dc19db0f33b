"""Write the hashes anew: ``python -m tests.golden``. A changed hash belongs in the changelog.

With ``--check`` compare instead, where pytest is not installed.
"""

import json
import sys
import warnings
from pathlib import Path

from tests.golden.cases import cases, digest

warnings.simplefilter("ignore")
path = Path(__file__).with_name("hashes.json")
hashes = {name: digest(make()) for name, make in cases().items()}
if sys.argv[1:] == ["--check"]:
    pinned = json.loads(path.read_text())
    other = sorted(name for name in pinned.keys() | hashes if pinned.get(name) != hashes.get(name))
    sys.exit(f"other folds than pinned: {', '.join(other)}" if other else None)
path.write_text(json.dumps(hashes, indent=1) + "\n")
print(f"{len(hashes)} hashes written")
