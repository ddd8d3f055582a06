"""Changes repositories with HfApi, and prints what it returned and raised."""

import json

from huggingface_hub import (
    CommitOperationAdd,
    CommitOperationCopy,
    CommitOperationDelete,
    HfApi,
)

REPO = "team/written"
api = HfApi()


def error(call):
    """What a call raises: its class, status and text."""
    try:
        call()
    except Exception as raised:
        response = getattr(raised, "response", None)
        status = None if response is None else response.status_code
        return [type(raised).__name__, status, str(raised)]
    return None


def repository(url):
    """A created repository, as JSON."""
    return {"url": str(url), "id": url.repo_id, "type": url.repo_type}


def commit(it):
    """A commit, as JSON."""
    return {"url": it.commit_url, "oid": it.oid, "repository": it.repo_url.repo_id}


def files(repo=REPO, repo_type="model"):
    return sorted(api.list_repo_files(repo, repo_type=repo_type))


def add(path, content):
    return CommitOperationAdd(path_in_repo=path, path_or_fileobj=content)


out = {
    "created": repository(api.create_repo(REPO)),
    "again": repository(api.create_repo(REPO, exist_ok=True)),
    "taken": error(lambda: api.create_repo(REPO)),
    "own": repository(api.create_repo("mine", private=True)),
    "dataset": repository(api.create_repo(REPO, repo_type="dataset")),
}
empty = api.model_info(REPO)
out["empty"] = [empty.sha, len(empty.siblings or [])]
LARGE = bytes(range(256)) * 1000
first = api.create_commit(REPO, commit_message="Add", operations=[
    add("config.json", b"{}"),
    add("empty.txt", b""),
    add("weights/large.bin", LARGE),
    add("weights/small.bin", b"small"),
    add("same/large.bin", LARGE),
])
out["first"] = commit(first)
out["after_first"] = files()
again = api.create_commit(REPO, commit_message="Again", operations=[
    add("config.json", b"{}"),
    add("weights/large.bin", LARGE),
])
out["again_oid"] = again.oid
second = api.create_commit(REPO, commit_message="Change", parent_commit=first.oid, operations=[
    add("config.json", b"[]"),
    CommitOperationCopy("weights/large.bin", "copies/large.bin"),
    CommitOperationCopy("weights/small.bin", "copies/small.bin"),
    CommitOperationDelete("weights/small.bin"),
    CommitOperationDelete("same/"),
])
out["second"] = commit(second)
out["after_second"] = files()
out["stale"] = error(lambda: api.create_commit(
    REPO, commit_message="Stale", parent_commit=first.oid, operations=[add("stale.txt", b"x")]
))
out["missing_deletion"] = error(lambda: api.delete_file("missing.txt", REPO))
out["onto_a_folder"] = error(lambda: api.create_commit(
    REPO, commit_message="Onto", operations=[add("kept.txt", b"x"), add("copies", b"x")]
))
out["outside"] = error(lambda: api.create_commit(
    REPO, commit_message="Outside", operations=[add("a/../../../outside.txt", b"x")]
))
out["missing_repository"] = error(lambda: api.upload_file(
    path_or_fileobj=b"x", path_in_repo="x.txt", repo_id="team/missing"
))
out["other_revision"] = error(lambda: api.upload_file(
    path_or_fileobj=b"x", path_in_repo="x.txt", repo_id=REPO, revision="v1"
))
out["unchanged"] = files()
out["deleted_file"] = commit(api.delete_file("config.json", REPO))
out["deleted_folder"] = commit(api.delete_folder("copies", REPO))
out["after_deletions"] = files()
out["many"] = commit(api.create_commit(REPO, commit_message="Many", operations=[
    add(f"many/{number // 50}/{number}.txt", f"{number}".encode()) for number in range(600)
]))
out["after_many"] = len(files())
out["dataset_commit"] = commit(api.upload_file(
    path_or_fileobj=LARGE, path_in_repo="rows/train.bin", repo_id=REPO, repo_type="dataset"
))
out["dataset_files"] = files(repo_type="dataset")
out["onto_another"] = error(lambda: api.move_repo(from_id=REPO, to_id="user-1/mine"))
api.move_repo(from_id=REPO, to_id="group/moved")
out["after_move"] = len(files("group/moved"))
out["before_move"] = error(lambda: api.list_repo_files(REPO))
api.delete_repo("group/moved")
out["deleted"] = error(lambda: api.delete_repo("group/moved"))
api.delete_repo("group/moved", missing_ok=True)
print(json.dumps(out))
