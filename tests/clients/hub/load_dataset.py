"""Loads a data set as users of datasets do, and prints its rows."""

import json
import sys

from datasets import load_dataset

print(json.dumps({"rows": load_dataset(sys.argv[1], split="train").to_dict()}))
