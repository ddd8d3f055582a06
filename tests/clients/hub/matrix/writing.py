"""Calls of HfApi that write, each to a repository of its own."""

from calls import CARD, FILES, HOME, call, needs, run_calls, takes
from huggingface_hub import (
    CommitOperationAdd,
    CommitOperationCopy,
    CommitOperationDelete,
    HfApi,
    ModelCard,
    metadata_load,
    metadata_update,
)

api = HfApi()


def filled(name, **options):
    """A new repository with files."""
    repo = f"team/{name}"
    api.create_repo(repo, **options)
    add(repo, FILES, **options)
    return repo


def add(repo, files, **options):
    operations = [CommitOperationAdd(path, content) for path, content in files.items()]
    return api.create_commit(repo, operations=operations, commit_message="Add", **options)


def files(repo, **options):
    return sorted(api.list_repo_files(repo, **options))


def directory(name):
    """A directory on this machine with the files."""
    root = HOME / name
    for path, content in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    return root


@call
def create_repo():
    assert api.create_repo("team/new").repo_id == "team/new"
    assert not api.model_info("team/new").siblings


@call
def create_repo_exist_ok():
    for _ in range(2):
        assert api.create_repo("team/again", exist_ok=True).repo_id == "team/again"


@call
def create_repo_that_exists():
    api.create_repo("team/taken")
    api.create_repo("team/taken")


@call
def create_repo_of_ones_own():
    assert api.create_repo("mine").repo_id.endswith("/mine")


@call
def create_repo_private():
    api.create_repo("team/private", private=True)


@call
def create_repo_public():
    api.create_repo("team/public", private=False)


@call
def create_repo_dataset():
    assert api.create_repo("team/rows", repo_type="dataset").repo_type == "dataset"


@call
def create_repo_space():
    api.create_repo("team/space", repo_type="space", space_sdk="gradio")


@call
def create_repo_resource_group():
    takes(api.create_repo, "resource_group_id")
    api.create_repo("team/grouped", resource_group_id="66670e5163145ca562cb1988")


@call
def create_repo_reserved_name():
    api.create_repo("api/model")


@call
def upload_file():
    repo = filled("file")
    done = api.upload_file(path_or_fileobj=b"x", path_in_repo="x/y.txt", repo_id=repo)
    assert "x/y.txt" in str(done) or "x/y.txt" in files(repo)


@call
def upload_file_large_from_a_path():
    repo, path = filled("large"), HOME / "large.bin"
    path.write_bytes(bytes(range(256)) * 10_000)
    api.upload_file(path_or_fileobj=path, path_in_repo="large.bin", repo_id=repo)
    assert api.get_paths_info(repo, "large.bin")[0].size == 2_560_000


@call
def upload_file_from_a_stream():
    repo = filled("stream")
    with open(directory("stream") / "model.safetensors", "rb") as stream:
        api.upload_file(path_or_fileobj=stream, path_in_repo="s.safetensors", repo_id=repo)
    assert "s.safetensors" in files(repo)


@call
def upload_file_unchanged():
    repo = filled("unchanged")
    before = api.model_info(repo).sha
    api.upload_file(path_or_fileobj=CARD, path_in_repo="README.md", repo_id=repo)
    assert api.model_info(repo).sha == before


@call
def upload_file_create_pr():
    repo = filled("pr")
    api.upload_file(path_or_fileobj=b"x", path_in_repo="x", repo_id=repo, create_pr=True)


@call
def upload_folder():
    api.create_repo("team/folder")
    api.upload_folder(folder_path=directory("folder"), repo_id="team/folder")
    assert files("team/folder") == sorted(FILES)


@call
def upload_folder_that_deletes():
    repo = filled("deletes")
    root = HOME / "deletes"
    root.mkdir()
    (root / "only.txt").write_text("only")
    api.upload_folder(folder_path=root, repo_id=repo, delete_patterns=["*"])
    assert "only.txt" in files(repo) and "config.json" not in files(repo)


@call
def upload_large_folder():
    needs(api, "upload_large_folder")
    api.upload_large_folder("team/big", directory("big"), repo_type="model", print_report=False)
    assert set(FILES) <= set(files("team/big"))


@call
def run_as_future():
    repo = filled("future")
    api.upload_file(
        path_or_fileobj=b"x", path_in_repo="x", repo_id=repo, run_as_future=True
    ).result()
    assert "x" in files(repo)


@call
def preupload_lfs_files():
    repo = filled("preupload")
    addition = CommitOperationAdd("pre.bin", bytes(200_000))
    api.preupload_lfs_files(repo, [addition])
    api.create_commit(repo, [addition], commit_message="Add")
    assert "pre.bin" in files(repo)


@call
def create_commit_with_parent():
    repo = filled("parent")
    api.create_commit(
        repo, [CommitOperationDelete("config.json")], commit_message="Delete",
        parent_commit=api.model_info(repo).sha,
    )
    assert "config.json" not in files(repo)


@call
def create_commit_with_stale_parent():
    repo = filled("stale")
    before = api.model_info(repo).sha
    add(repo, {"x": b"x"})
    api.create_commit(
        repo, [CommitOperationAdd("y", b"y")], commit_message="Add", parent_commit=before
    )


@call
def create_commit_deletes_a_folder():
    repo = filled("folders")
    api.create_commit(repo, [CommitOperationDelete("notes/")], commit_message="Delete")
    assert not [it for it in files(repo) if it.startswith("notes")]


@call
def create_commit_copies_a_large_file():
    copied(filled("copylarge"), "model.safetensors")


@call
def create_commit_copies_a_small_file():
    copied(filled("copysmall"), "config.json")


def copied(repo, path):
    copy = CommitOperationCopy(path, "copy/of.it")
    api.create_commit(repo, [copy], commit_message="Copy")
    sizes = {it.path: it.size for it in api.get_paths_info(repo, [path, "copy/of.it"])}
    assert len(sizes) == 2 and len(set(sizes.values())) == 1


@call
def copy_large_files():
    needs(api, "copy_files")
    repo, other = filled("copied"), filled("copies")
    api.copy_files(f"hf://{repo}/model.safetensors", f"hf://{other}/model-2.safetensors")


@call
def copy_small_files():
    needs(api, "copy_files")
    repo, other = filled("copiedsmall"), filled("copiessmall")
    api.copy_files(f"hf://{repo}/config.json", f"hf://{other}/config-2.json")
    assert "config-2.json" in files(other)


@call
def create_commit_to_another_branch():
    add(filled("branchless"), {"x": b"x"}, revision="dev")


@call
def create_commit_to_a_missing_repository():
    add("team/missing", {"x": b"x"})


@call
def delete_file():
    repo = filled("one")
    api.delete_file("config.json", repo)
    assert "config.json" not in files(repo)


@call
def delete_file_missing():
    api.delete_file("missing.json", filled("nofile"))


@call
def delete_files():
    needs(api, "delete_files")
    repo = filled("some")
    api.delete_files(repo, ["notes/*"])
    assert not [it for it in files(repo) if it.startswith("notes")]


@call
def delete_folder():
    repo = filled("without")
    api.delete_folder("notes", repo)
    assert not [it for it in files(repo) if it.startswith("notes")]


@call
def delete_repo():
    repo = filled("gone")
    api.delete_repo(repo)
    assert not api.repo_exists(repo)


@call
def delete_repo_dataset():
    repo = filled("gonerows", repo_type="dataset")
    api.delete_repo(repo, repo_type="dataset")
    assert not api.repo_exists(repo, repo_type="dataset")


@call
def delete_repo_missing():
    api.delete_repo("team/missing")


@call
def delete_repo_missing_ok():
    api.delete_repo("team/missing", missing_ok=True)


@call
def move_repo():
    repo = filled("former")
    api.move_repo(repo, "other/later")
    assert files("other/later") == sorted(FILES)


@call
def duplicate_repo():
    needs(api, "duplicate_repo")
    api.duplicate_repo(filled("origin"), "team/duplicate")


@call
def create_branch():
    api.create_branch(filled("branch"), branch="dev")


@call
def delete_branch():
    api.delete_branch(filled("nobranch"), branch="dev")


@call
def create_tag():
    api.create_tag(filled("tag"), tag="v1")


@call
def delete_tag():
    api.delete_tag(filled("notag"), tag="v1")


@call
def create_pull_request():
    api.create_pull_request(filled("pull"), title="Pull")


@call
def create_discussion():
    api.create_discussion(filled("talk"), title="Talk")


@call
def super_squash_history():
    api.super_squash_history(filled("squash"))


@call
def update_repo_settings():
    needs(api, "update_repo_settings")
    takes(api.update_repo_settings, "private")
    api.update_repo_settings(filled("settings"), private=True)


@call
def update_repo_settings_gated():
    needs(api, "update_repo_settings")
    api.update_repo_settings(filled("gatedsettings"), gated="auto")


@call
def update_repo_visibility():
    needs(api, "update_repo_visibility")
    api.update_repo_visibility(filled("visibility"), private=True)


@call
def update_repo_visibility_public():
    needs(api, "update_repo_visibility")
    api.update_repo_visibility(filled("shown"), private=False)


@call
def permanently_delete_lfs_files():
    needs(api, "permanently_delete_lfs_files")
    repo = filled("lfs")
    api.permanently_delete_lfs_files(repo, list(api.list_lfs_files(repo)))


@call
def model_card_push():
    repo = filled("card")
    ModelCard("---\nlicense: apache-2.0\n---\n# Card\n").push_to_hub(repo)
    assert ModelCard.load(repo).data.license == "apache-2.0"


@call
def _metadata_update():
    repo = filled("metadata")
    metadata_update(repo, {"tags": ["changed"]}, overwrite=True)
    assert metadata_load(api.hf_hub_download(repo, "README.md"))["tags"] == ["changed"]


@call
def like():
    needs(api, "like")
    api.like(filled("liked"))


@call
def unlike():
    api.unlike(filled("unliked"))


@call
def create_collection():
    api.create_collection("Some", namespace="team")


@call
def create_webhook():
    needs(api, "create_webhook")
    api.create_webhook(url="http://127.0.0.1/", watched=[{"type": "user", "name": "user-1"}],
                       domains=["repo"])


@call
def upload_without_the_privilege():
    repo = filled("weak")
    weak = HfApi(token=(HOME / "weak").read_text())
    weak.upload_file(path_or_fileobj=b"x", path_in_repo="x", repo_id=repo)


@call
def create_repo_without_the_privilege():
    HfApi(token=(HOME / "weak").read_text()).create_repo("team/weak-new")


run_calls()
