"""Prints what HfApi says of the files of `team/mixed`, and what it may download of them."""

import json

from huggingface_hub import HfApi, hf_hub_download, snapshot_download

REPO = "team/mixed"
api = HfApi()


def outcome(call):
    """Whether a call succeeds, or what it raises."""
    try:
        call()
        return "done"
    except Exception as raised:
        return {"text": str(raised)}


files = [it for it in api.list_repo_tree(REPO, expand=True) if hasattr(it, "security")]
print(json.dumps({
    "security": {it.path: [it.security.safe, it.security.status] for it in files},
    "repository": getattr(api.model_info(REPO, securityStatus=True), "security_repo_status", None),
    "files": {it.path: outcome(lambda: hf_hub_download(REPO, it.path)) for it in files},
    "heads": {it.path: outcome(lambda: api.file_exists(REPO, it.path)) for it in files},
    "snapshot": outcome(lambda: snapshot_download(REPO)),
}))
