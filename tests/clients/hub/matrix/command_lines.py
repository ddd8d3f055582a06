"""Command lines: `hf`, or `huggingface-cli` in the versions that have no other."""

import shutil
import sys
from functools import cache
from pathlib import Path

from calls import FILES, HOME, call, command, needs, run_calls
from huggingface_hub import CommitOperationAdd, HfApi

REPO = "team/commands"
api = HfApi()
api.create_repo(REPO)
api.create_commit(REPO, commit_message="Fill", operations=[
    CommitOperationAdd(path, content) for path, content in FILES.items()
])

BIN = Path(sys.executable).parent
HAS_HF = (BIN / "hf").exists()
IS_OLD = not HAS_HF


def hf(*arguments):
    """Runs the command line, by the name that this version has."""
    return command(str(BIN / ("hf" if HAS_HF else "huggingface-cli")), *arguments, cwd=HOME)


@cache
def help_of(*arguments):
    """The help of a command, or nothing if this version has none."""
    try:
        return hf(*arguments, "--help")
    except RuntimeError:
        return ""


def has(*arguments):
    """Skips the call if this version has no such command."""
    if help_of(*arguments) == "":
        needs(None, " ".join(arguments))


@call
def hf_whoami():
    assert "user-" in (hf("whoami") if IS_OLD else hf("auth", "whoami"))


@call
def hf_env():
    hf("env")


@call
def hf_download():
    hf("download", REPO, "--local-dir", "hf-whole")
    assert (HOME / "hf-whole/config.json").read_bytes() == FILES["config.json"]


@call
def hf_download_a_file():
    assert "config.json" in hf("download", REPO, "config.json")


@call
def hf_download_patterns():
    hf("download", REPO, "--include", "notes/*", "--local-dir", "hf-notes")
    assert (HOME / "hf-notes/notes/a.txt").exists()


@call
def hf_download_missing_file():
    hf("download", REPO, "missing.json")


@call
def hf_download_bad_credential():
    hf("download", REPO, "config.json", "--token", "not-a-credential", "--cache-dir", "bad")


def folder(name):
    root = HOME / name
    shutil.copytree(HOME / "hf-whole", root, ignore=shutil.ignore_patterns(".cache", ".huggingface"))
    return root


@call
def hf_upload():
    hf("upload", "team/hf-upload", str(folder("hf-upload")), ".")
    assert "config.json" in api.list_repo_files("team/hf-upload")


@call
def hf_upload_a_file():
    hf("upload", REPO, str(HOME / "hf-whole/README.md"), "up/README.md", "--commit-message", "Add")
    assert "up/README.md" in api.list_repo_files(REPO)


@call
def hf_upload_dataset_private():
    hf("upload", "team/hf-rows", str(folder("hf-rows")), "--repo-type", "dataset", "--private")
    assert api.repo_exists("team/hf-rows", repo_type="dataset")


@call
def hf_upload_large_folder():
    has("upload-large-folder")
    hf("upload-large-folder", "team/hf-big", str(folder("hf-big")), "--repo-type", "model")
    assert "config.json" in api.list_repo_files("team/hf-big")


def repos(*arguments):
    """A command on repositories, whose name has changed over the versions."""
    name = "repos" if has_repos() else "repo"
    has(name, arguments[0])
    return hf(name, *arguments)


@call
def hf_repo_create():
    repos("create", *(("--organization", "team", "made", "-y") if IS_OLD and not old_form() else
                      ("team/made",)))
    assert api.repo_exists("team/made")


def old_form():
    return "--organization" not in help_of("repo", "create")


@call
def hf_repo_move():
    api.create_repo("team/hf-from", exist_ok=True)
    repos("move", "team/hf-from", "team/hf-to")
    assert api.repo_exists("team/hf-to")


@call
def hf_repo_delete():
    api.create_repo("team/hf-gone", exist_ok=True)
    accepted = ("--yes",) if "--yes" in repos("delete", "--help") else ()
    repos("delete", "team/hf-gone", *accepted)
    assert not api.repo_exists("team/hf-gone")


@call
def hf_repo_settings():
    repos("settings", REPO, "--private")


@call
def hf_repo_tag_create():
    repos("tag", "create", REPO, "v1") if HAS_HF else tag(REPO, "v1")


def tag(*arguments):
    has("tag")
    hf("tag", *arguments)


@call
def hf_repo_tag_list():
    repos("tag", "list", REPO) if HAS_HF else tag("-l", REPO)


@call
def hf_repo_branch_create():
    repos("branch", "create", REPO, "dev")


@call
def hf_repo_delete_files():
    api.create_repo("team/hf-del", exist_ok=True)
    api.upload_file(path_or_fileobj=b"x", path_in_repo="x.txt", repo_id="team/hf-del")
    if IS_OLD:
        has("repo-files")
        hf("repo-files", "team/hf-del", "delete", "x.txt")
    elif has_repos() and "delete-files" in help_of("repos"):
        hf("repos", "delete-files", "team/hf-del", "x.txt")
    else:
        hf("repo-files", "delete", "team/hf-del", "x.txt")
    assert "x.txt" not in api.list_repo_files("team/hf-del")


def has_repos():
    """Whether this version has the newer name of `repo`."""
    return "repos " in help_of()


@call
def hf_models_list():
    has("models", "list")
    assert REPO in hf("models", "list", "--author", "team", "--format", "json")


@call
def hf_models_info():
    has("models", "info")
    assert REPO in hf("models", "info", REPO)


@call
def hf_cp():
    has("cp")
    hf("cp", f"hf://{REPO}/config.json", str(HOME / "cp.json"))
    assert (HOME / "cp.json").read_bytes() == FILES["config.json"]


@call
def hf_cache_list():
    listed = hf("scan-cache") if IS_OLD else hf("cache", "ls" if "ls" in help_of("cache")
                                                else "scan")
    assert REPO in listed


run_calls()
