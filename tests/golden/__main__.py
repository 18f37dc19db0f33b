"""Write the hashes anew: ``python -m tests.golden``. A changed hash belongs in the changelog."""

import json
import warnings
from pathlib import Path

from tests.golden.cases import cases, digest

warnings.simplefilter("ignore")
hashes = {name: digest(make()) for name, make in cases().items()}
Path(__file__).with_name("hashes.json").write_text(json.dumps(hashes, indent=1) + "\n")
print(f"{len(hashes)} hashes written")
