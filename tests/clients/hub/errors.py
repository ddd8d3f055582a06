"""Prints the errors that callers of the client see, each as its class, status and text."""

import json
import sys

from huggingface_hub import HfApi, hf_hub_download, snapshot_download

api = HfApi()
bad = HfApi(token="not a credential")
weak = HfApi(token=sys.argv[1])
REPO = "team/tiny"


def error(call):
    """What a call raises, or what the server has said before."""
    try:
        call()
    except Exception as raised:
        while raised.__cause__ is not None and getattr(raised, "response", None) is None:
            raised = raised.__cause__
        response = getattr(raised, "response", None)
        status = None if response is None else response.status_code
        return [type(raised).__name__, status, str(raised)]
    return None


print(json.dumps({
    "missing model": error(lambda: api.model_info("team/missing")),
    "missing data set": error(lambda: api.dataset_info("team/model")),
    "missing revision": error(lambda: api.model_info(REPO, revision="v1")),
    "missing revision of a tree": error(lambda: list(api.list_repo_tree(REPO, revision="v1"))),
    "missing folder": error(lambda: list(api.list_repo_tree(REPO, "missing"))),
    "missing model of a tree": error(lambda: list(api.list_repo_tree("team/missing"))),
    "missing file": error(lambda: hf_hub_download(REPO, "missing.json")),
    "a folder as a file": error(lambda: hf_hub_download(REPO, "weights")),
    "missing revision of a file": error(
        lambda: hf_hub_download(REPO, "config.json", revision="v1")
    ),
    "missing model of a file": error(lambda: hf_hub_download("team/missing", "config.json")),
    "missing model of a snapshot": error(lambda: snapshot_download("team/missing")),
    "missing revision of a snapshot": error(lambda: snapshot_download(REPO, revision="0" * 40)),
    "no credential": error(lambda: HfApi(token=False).model_info(REPO)),
    "wrong credential": error(lambda: bad.model_info(REPO)),
    "wrong credential for whoami": error(lambda: bad.whoami()),
    "wrong credential for a file": error(
        lambda: hf_hub_download(REPO, "config.json", token="not a credential")
    ),
    "without the privilege to download": error(
        lambda: hf_hub_download(REPO, "config.json", token=sys.argv[1])
    ),
    "without the privilege to upload": error(
        lambda: weak.upload_file(path_or_fileobj=b"x", path_in_repo="x.txt", repo_id=REPO)
    ),
    "discussions": error(lambda: list(api.get_repo_discussions(REPO))),
    "spaces": error(lambda: api.create_repo("team/space", repo_type="space", space_sdk="static")),
    "pull requests": error(
        lambda: api.upload_file(
            path_or_fileobj=b"x", path_in_repo="x.txt", repo_id=REPO, create_pr=True
        )
    ),
}))
