"""Copies a small file of one repository to another, and prints what is there. Versions before 2 cannot."""

import json

from huggingface_hub import HfApi, hf_hub_download

api = HfApi()
out = None
if hasattr(api, "copy_files"):
    for repo in ("team/from", "team/to"):
        api.create_repo(repo)
    api.upload_file(path_or_fileobj=b"{}", path_in_repo="config.json", repo_id="team/from")
    api.copy_files("hf://team/from/config.json", "hf://team/to/copied.json")
    with open(hf_hub_download("team/to", "copied.json"), encoding="utf-8") as file:
        out = file.read()
print(json.dumps(out))
