"""Downloads a file that others replace, and prints the outcomes and what the cache has: names and digests."""

import hashlib
import json
import sys
from collections import Counter
from pathlib import Path

from huggingface_hub import hf_hub_download

cache = Path.cwd() / "cache"


def outcome():
    try:
        hf_hub_download("team/one", "weights.bin", cache_dir=cache)
        return "received"
    except Exception as raised:
        return type(raised).__name__


outcomes = Counter(outcome() for _ in range(int(sys.argv[1])))
blobs = [it for it in cache.glob("*/blobs/*") if it.suffix != ".incomplete" and it.is_file()]
print(json.dumps({
    "outcomes": outcomes,
    "blobs": {it.name: hashlib.sha256(it.read_bytes()).hexdigest() for it in blobs},
}))
