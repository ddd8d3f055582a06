"""Feeds each reply to the classes and checks of the client, and prints what they did not find."""

import dataclasses
import json
import sys

from huggingface_hub import HfApi, get_session, lfs
from huggingface_hub._commit_api import _validate_preupload_info
from huggingface_hub.hf_api import CommitInfo, DatasetInfo, ModelInfo, RepoFile, RepoFolder, RepoUrl
from huggingface_hub.utils import build_hf_headers

endpoint, token = sys.argv[1:]
headers = build_hf_headers(token=token)
session = get_session()


def send(method, path, **options):
    """The JSON of a reply, which must be a success."""
    all_headers = {**headers, **options.pop("headers", {})}
    reply = session.request(method, endpoint + path, headers=all_headers, **options)
    assert reply.status_code == 200, f"{method} {path}: {reply.status_code} {reply.text}"
    return reply.json()


def absent(value):
    """The attributes that a class has not found."""
    return sorted(
        field.name for field in dataclasses.fields(value) if getattr(value, field.name, None) is None
    )


def entry(it):
    """A file or folder of a tree."""
    return RepoFile(**it) if it["type"] == "file" else RepoFolder(**it)


MODEL, DATASET = "/api/models/team/tiny", "/api/datasets/team/tiny"
query = {"recursive": "true", "expand": "true"}
tree = [entry(it) for it in send("GET", f"{MODEL}/tree/main", params=query)]
paths = send("POST", f"{MODEL}/paths-info/main", data={"paths": ["a.bin", "d"], "expand": True})
batch = {
    "operation": "upload",
    "transfers": ["basic", "multipart"],
    "objects": [{"oid": "0" * 64, "size": 100_000}],
    "hash_algo": "sha256",
    "ref": {"name": "main"},
}
lfs_url = "/team/tiny.git/info/lfs/objects/batch"
upload = send("POST", lfs_url, json=batch, headers=lfs.LFS_HEADERS)
download = send("POST", lfs_url, json={**batch, "operation": "download"}, headers=lfs.LFS_HEADERS)
files = [{"path": f"{size}.bin", "size": size, "sample": ""} for size in (0, 10, 10_000_000)]
preupload = send("POST", f"{MODEL}/preupload/main", json={"files": files})
lines = [
    {"key": "header", "value": {"summary": "Add", "description": ""}},
    {"key": "file", "value": {"content": "eA==", "path": "x.txt", "encoding": "base64"}},
]
body = "".join(json.dumps(line) + "\n" for line in lines)
# The versions use different libraries.
text = {"data": body} if "requests" in type(session).__module__ else {"content": body}
ndjson = {"Content-Type": "application/x-ndjson"}
commit = send("POST", f"{MODEL}/commit/main", headers=ndjson, **text)
created = send("POST", "/api/repos/create", json={
    "name": "made", "organization": "team", "type": "model", "private": True,
})
head = session.request("HEAD", endpoint + "/team/tiny/resolve/main/a.bin", headers=headers)

for action in upload["objects"]:
    lfs._validate_batch_actions(action)
    for kind in ("upload", "verify"):
        lfs._validate_lfs_action(action["actions"][kind])
for error in download["objects"]:
    lfs._validate_batch_error(error)
_validate_preupload_info(preupload)

print(json.dumps({
    "ModelInfo": absent(ModelInfo(**send("GET", MODEL, params={"securityStatus": True}))),
    "DatasetInfo": absent(DatasetInfo(**send("GET", DATASET))),
    "listed ModelInfo": absent(ModelInfo(**send("GET", "/api/models")[0])),
    "listed DatasetInfo": absent(DatasetInfo(**send("GET", "/api/datasets")[0])),
    "siblings": sorted({
        name
        for it in ModelInfo(**send("GET", MODEL, params={"blobs": True})).siblings
        for name in absent(it)
    }),
    "RepoFile": sorted({name for it in tree if isinstance(it, RepoFile) for name in absent(it)}),
    "RepoFolder": sorted({name for it in tree if isinstance(it, RepoFolder) for name in absent(it)}),
    "paths-info": sorted({name for it in map(entry, paths) for name in absent(it)}),
    "CommitInfo": absent(CommitInfo(
        commit_url=commit["commitUrl"],
        commit_message="Add",
        commit_description="",
        oid=commit["commitOid"],
    )),
    "commit": sorted(commit),
    "RepoUrl": RepoUrl(created["url"], endpoint=endpoint).repo_id,
    "create": sorted(created),
    "batch": sorted(upload),
    "transfer": upload["transfer"],
    "modes": [it["uploadMode"] for it in preupload["files"]],
    "preupload": sorted(preupload["files"][0]),
    "whoami": sorted(send("GET", "/api/whoami-v2")),
    "resolve": sorted(
        name for name in ("etag", "x-repo-commit", "x-linked-etag", "x-linked-size", "content-length")
        if name not in head.headers
    ),
    "unknown": {
        path: [reply.status_code, reply.headers.get("X-Error-Code"), "error" in reply.json()]
        for path in ("/api/agent-harnesses", "/api/spaces/team/tiny", "/api/models/team/tiny/discussions",
                     "/api/models/team/tiny/xet-read-token/main", "/api/none", "/spaces/team/tiny/resolve/main/a")
        for reply in [session.get(endpoint + path, headers=headers)]
    },
}))
