"""Makes commits, tags and branches of the model `team/past`, and prints what each of them reads as."""

import json

from huggingface_hub import CommitOperationAdd, HfApi, hf_hub_download, snapshot_download
from huggingface_hub.errors import HfHubHTTPError, RevisionNotFoundError

REPO = "team/past"
api = HfApi()


def commit(content, message, **options):
    operations = [CommitOperationAdd("config.json", content), CommitOperationAdd("w.bin", content * 9)]
    return api.create_commit(REPO, operations, commit_message=message, **options).oid


def files(revision):
    """The files of a snapshot, or the error of one that there is none of."""
    try:
        path = snapshot_download(REPO, revision=revision)
    except RevisionNotFoundError:
        return "RevisionNotFound"
    with open(f"{path}/config.json") as config, open(f"{path}/w.bin") as weights:
        return [config.read(), weights.read()]


def refs():
    found = api.list_repo_refs(REPO)
    return {
        "branches": {it.name: it.target_commit for it in found.branches},
        "tags": {it.name: it.target_commit for it in found.tags},
    }


def failure(call, *args, **options):
    try:
        call(REPO, *args, **options)
    except HfHubHTTPError as error:
        return error.response.status_code
    return 200


api.create_repo(REPO)
ids = [commit(f"{number}".encode(), f"Commit {number}\n\nBody {number}") for number in range(4)]
api.create_tag(REPO, tag="v1", revision=ids[1], tag_message="First")
api.create_tag(REPO, tag="now")
api.create_branch(REPO, branch="dev", revision=ids[0])
api.create_branch(REPO, branch="next")
on_branch = commit(b"dev", "On a branch", revision="dev")
report = {
    "ids": ids,
    "on_branch": on_branch,
    "refs": refs(),
    "commits": [
        [it.commit_id, it.title, it.message, it.authors] for it in api.list_repo_commits(REPO)
    ],
    "earlier": [it.commit_id for it in api.list_repo_commits(REPO, revision=ids[1])],
    "on_dev": [it.title for it in api.list_repo_commits(REPO, revision="dev")],
    "snapshots": {it: files(it) for it in [*ids, "v1", "now", "dev", "next", on_branch, "0" * 40]},
    "tree": [it.path for it in api.list_repo_tree(REPO, revision=ids[2], expand=True)],
    "info": api.model_info(REPO, revision=ids[0]).sha,
    "paths": [it.path for it in api.get_paths_info(REPO, ["w.bin", "q"], revision="v1")],
    "file": open(hf_hub_download(REPO, "w.bin", revision=ids[0])).read(),
    "same tag": failure(api.create_tag, tag="v1"),
    "same branch": failure(api.create_branch, branch="dev"),
    "squash": failure(api.super_squash_history),
    "commit to the past": failure(
        api.create_commit, [CommitOperationAdd("x", b"x")], commit_message="x", revision=ids[0]
    ),
    "models": [it.id for it in api.list_models()],
}
api.delete_tag(REPO, tag="v1")
api.delete_branch(REPO, branch="next")
report["left"] = {kind: sorted(names) for kind, names in refs().items()}
print(json.dumps(report))
