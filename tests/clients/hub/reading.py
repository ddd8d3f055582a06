"""Prints what HfApi reads of the model and the data set `team/tiny`."""

import json

from huggingface_hub import HfApi, hf_hub_download, snapshot_download

REPO = "team/tiny"
api = HfApi()


def entry(it):
    """A file or folder of a tree, as JSON."""
    if type(it).__name__ == "RepoFolder":
        return {"folder": it.path, "id": it.tree_id}
    return {
        "path": it.path,
        "size": it.size,
        "blob_id": it.blob_id,
        **({} if it.lfs is None else {
            "sha256": it.lfs.sha256,
            "lfs_size": it.lfs.size,
            "pointer_size": it.lfs.pointer_size,
        }),
        "security": it.security and {"safe": it.security.safe, "status": it.security.status},
    }


def info(it):
    """A model or data set, as JSON."""
    return {
        "id": it.id,
        "author": it.author,
        "sha": it.sha,
        "private": it.private,
        "dated": it.last_modified is not None and it.last_modified.tzinfo is not None,
        "tags": it.tags,
        "siblings": it.siblings and sorted(sibling.rfilename for sibling in it.siblings),
    }


def file(path):
    """A file on this machine, as JSON."""
    with open(path, "rb") as content:
        return {"path": path, "size": len(content.read())}


model = api.model_info(REPO)
detailed = api.model_info(REPO, files_metadata=True, securityStatus=True)
print(json.dumps({
    "model": info(model),
    "at_commit": info(api.model_info(REPO, revision=model.sha)),
    "full_ref": info(api.model_info(REPO, revision="refs/heads/main")),
    "detailed": {
        it.rfilename: [it.size, it.blob_id, it.lfs and it.lfs.sha256] for it in detailed.siblings
    },
    "dataset": info(api.dataset_info(REPO)),
    "tree": [entry(it) for it in api.list_repo_tree(REPO)],
    "subtree": [entry(it) for it in api.list_repo_tree(REPO, "weights/größe 1")],
    "recursive": [entry(it) for it in api.list_repo_tree(REPO, recursive=True)],
    "expanded": [entry(it) for it in api.list_repo_tree(REPO, recursive=True, expand=True)],
    "dataset_tree": [entry(it) for it in api.list_repo_tree(REPO, repo_type="dataset")],
    "paths_info": [
        entry(it)
        for it in api.get_paths_info(REPO, ["config.json", "weights", "missing"], expand=True)
    ],
    "files": sorted(api.list_repo_files(REPO)),
    "dataset_files": sorted(api.list_repo_files(REPO, repo_type="dataset")),
    "exists": [
        api.repo_exists(REPO),
        api.repo_exists(REPO, repo_type="dataset"),
        api.revision_exists(REPO, "main"),
        api.file_exists(REPO, "config.json"),
        api.file_exists(REPO, "weights/größe 1/a #&+.bin", revision=model.sha),
    ],
    "absent": [
        api.repo_exists("team/missing"),
        api.repo_exists("team"),
        api.repo_exists("team/model", repo_type="dataset"),
        api.revision_exists(REPO, "v1"),
        api.file_exists(REPO, "missing.json"),
        api.file_exists(REPO, "weights"),
        api.file_exists("team/missing", "config.json"),
    ],
    "whoami": api.whoami(),
    "models": [info(it) for it in api.list_models()],
    "by_author": [it.id for it in api.list_models(author="team")],
    "searched": [it.id for it in api.list_models(search="OTH")],
    "sorted": [it.id for it in api.list_models(sort="last_modified", author="team")],
    "full": {it.id: info(it) for it in api.list_models(full=True)},
    "first": [it.id for it in api.list_models(limit=1)],
    "nobody": [it.id for it in api.list_models(author="nobody")],
    "datasets": [it.id for it in api.list_datasets(author="team")],
    "metadata": file(hf_hub_download(REPO, "config.json")),
    "named": file(hf_hub_download(REPO, "größe 1/a #&+.bin", subfolder="weights")),
    "snapshot": snapshot_download(REPO, allow_patterns=["*.json"]),
}))
