"""Gets a file as the client gets content, without the protocol of the hub."""

import os
import sys

from huggingface_hub.file_download import http_get
from huggingface_hub.utils import build_hf_headers

url, path = sys.argv[1:]
with open(path, "wb") as content:
    http_get(url, content, headers=build_hf_headers(token=os.environ["HF_TOKEN"]))
print("{}")
