"""Puts a file at an address as the client puts content, without the hashing and the protocol of the hub."""

import os
import sys

from huggingface_hub import CommitOperationAdd
from huggingface_hub.utils import build_hf_headers, hf_raise_for_status, http_backoff

path, url = sys.argv[1:]
operation = CommitOperationAdd(path_in_repo="x", path_or_fileobj=path)
with operation.as_file(with_tqdm=True) as content:
    reply = http_backoff("PUT", url, data=content, headers=build_hf_headers(token=os.environ["HF_TOKEN"]))
    hf_raise_for_status(reply)
print("{}")
