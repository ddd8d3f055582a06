"""Pushes a small data set as users of datasets do, loads it again, and prints its rows."""

import json

from datasets import Dataset, load_dataset

REPO = "team/small"
rows = {"text": ["one", "two", "three"], "label": [0, 1, 0]}
Dataset.from_dict(rows).push_to_hub(REPO)
loaded = load_dataset(REPO, split="train", download_mode="force_redownload")
print(json.dumps({"rows": loaded.to_dict()}))
