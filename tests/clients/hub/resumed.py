"""Downloads a file whose downloads are cut, and which others replace, as often as the argument says.

Prints the outcomes, and what the cache has: names and digests.
"""

import hashlib
import inspect
import json
import sys
import time
from collections import Counter
from pathlib import Path

from huggingface_hub import constants, file_download, hf_hub_download

# Clients keep what they have received of a file of a few kilobytes only if their pieces are smaller.
constants.DOWNLOAD_CHUNK_SIZE = file_download.DOWNLOAD_CHUNK_SIZE = 4096
# They wait before they go on, which takes a long time with so many rounds.
time.sleep = lambda _: None
cache = Path.cwd() / "cache"
# Versions that do not resume without it.
resume = {"resume_download": True}
options = resume if "resume_download" in inspect.signature(hf_hub_download).parameters else {}


def outcome():
    """Downloads, and goes on once after an error."""
    try:
        hf_hub_download("team/one", "weights.bin", cache_dir=cache, **options)
        return "received"
    except Exception:
        pass
    try:
        hf_hub_download("team/one", "weights.bin", cache_dir=cache, **options)
        return "received after an error"
    except Exception as raised:
        return type(raised).__name__


outcomes = Counter(outcome() for _ in range(int(sys.argv[1])))
blobs = [it for it in cache.glob("*/blobs/*") if it.suffix != ".incomplete" and it.is_file()]
print(json.dumps({
    "outcomes": outcomes,
    "blobs": {it.name: hashlib.sha256(it.read_bytes()).hexdigest() for it in blobs},
}))
