"""Hashes a file as the client does before an upload."""

import sys

from huggingface_hub import CommitOperationAdd

print(f'"{CommitOperationAdd(path_in_repo="x", path_or_fileobj=sys.argv[1]).upload_info.sha256.hex()}"')
