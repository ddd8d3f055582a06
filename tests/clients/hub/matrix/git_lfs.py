"""Calls of `git lfs`, with a Git repository on this machine and its large files on the server."""

import json
import os
import shutil
import urllib.request
from pathlib import Path

from calls import FILES, HOME, call, command, run_calls

ENDPOINT, TOKEN = os.environ["HF_ENDPOINT"], os.environ["HF_TOKEN"]
LFS_URL = f"{ENDPOINT}/team/lfs.git/info/lfs"
BARE, WORK = HOME / "bare.git", HOME / "work"
for name in ("AUTHOR", "COMMITTER"):
    os.environ |= {f"GIT_{name}_NAME": "one", f"GIT_{name}_EMAIL": "one@example.org"}
os.environ["GIT_TERMINAL_PROMPT"] = "0"
create = urllib.request.Request(
    f"{ENDPOINT}/api/repos/create",
    json.dumps({"name": "lfs", "organization": "team", "type": "model"}).encode(),
    {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"},
)
urllib.request.urlopen(create).close()
command("git", "config", "--global", "lfs.url", LFS_URL)
command("git", "config", "--global", f"http.{ENDPOINT}/.extraheader", f"Authorization: Bearer {TOKEN}")
command("git", "lfs", "install")
command("git", "init", "-q", "--bare", str(BARE))
command("git", "clone", "-q", str(BARE), str(WORK))


def git(*arguments, cwd=WORK):
    return command("git", *arguments, cwd=cwd)


def pushed(name, content):
    """Commits and pushes a large file."""
    (WORK / name).write_bytes(content)
    git("lfs", "track", "*.safetensors", "*.bin")
    git("add", ".")
    git("commit", "-q", "-m", f"Add {name}")
    git("push", "-q", "origin", "HEAD")


@call
def git_push():
    pushed("model.safetensors", FILES["model.safetensors"])


@call
def git_lfs_push_again():
    git("lfs", "push", "--all", "origin")


@call
def git_clone():
    git("clone", "-q", str(BARE), str(HOME / "clone"), cwd=HOME)
    assert (HOME / "clone/model.safetensors").read_bytes() == FILES["model.safetensors"]


@call
def git_lfs_pull():
    pushed("other.bin", bytes(300_000))
    git("pull", "-q", cwd=HOME / "clone")
    git("lfs", "pull", cwd=HOME / "clone")
    assert (HOME / "clone/other.bin").stat().st_size == 300_000


@call
def git_lfs_fetch_all():
    git("lfs", "fetch", "--all", "origin")


@call
def git_lfs_ls_files():
    assert "model.safetensors" in git("lfs", "ls-files")


@call
def git_lfs_fsck():
    git("lfs", "fsck")


@call
def git_lfs_prune():
    git("lfs", "prune", "--verify-remote")


@call
def git_lfs_smudge_skipped():
    os.environ["GIT_LFS_SKIP_SMUDGE"] = "1"
    git("clone", "-q", str(BARE), str(HOME / "pointers"), cwd=HOME)
    del os.environ["GIT_LFS_SKIP_SMUDGE"]
    assert Path(HOME / "pointers/other.bin").read_text().startswith("version https://git-lfs")
    git("lfs", "pull", "--include", "other.bin", cwd=HOME / "pointers")
    assert (HOME / "pointers/other.bin").stat().st_size == 300_000


@call
def git_lfs_lock():
    git("lfs", "lock", "model.safetensors")


@call
def git_lfs_locks():
    git("lfs", "locks")


@call
def git_lfs_pull_bad_credential():
    shutil.rmtree(WORK / ".git/lfs/objects")
    key = f"http.{ENDPOINT}/.extraheader"
    bad = ("-c", f"{key}=", "-c", f"{key}=Authorization: Bearer nothing")
    git(*bad, "lfs", "fetch", "--all", "origin")


run_calls()
