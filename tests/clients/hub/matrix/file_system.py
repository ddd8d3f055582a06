"""Calls of HfFileSystem, of a model and a data set `team/system`."""

from calls import FILES, HOME, call, needs, run_calls
from huggingface_hub import CommitOperationAdd, HfApi, HfFileSystem

REPO = "team/system"
api = HfApi()
api.create_repo(REPO)
api.create_commit(REPO, commit_message="Fill", operations=[
    CommitOperationAdd(path, content) for path, content in FILES.items()
])
api.create_repo(REPO, repo_type="dataset")
fs = HfFileSystem()


def fresh(path):
    """Whether a path is there now."""
    fs.invalidate_cache()
    return fs.exists(path)


@call
def fs_ls():
    assert f"{REPO}/config.json" in fs.ls(REPO, detail=False)


@call
def fs_ls_detail():
    sizes = {it["name"]: it["size"] for it in fs.ls(REPO, detail=True)}
    assert sizes[f"{REPO}/config.json"] == 22


@call
def fs_glob():
    assert sorted(fs.glob(f"{REPO}/**/*.txt")) == [f"{REPO}/notes/a.txt", f"{REPO}/notes/more/b.txt"]


@call
def fs_glob_detail():
    assert f"{REPO}/config.json" in fs.glob(f"{REPO}/*.json", detail=True)


@call
def fs_find():
    assert sorted(fs.find(REPO)) == sorted(f"{REPO}/{path}" for path in FILES)


@call
def fs_find_detail():
    found = fs.find(f"{REPO}/notes", detail=True)
    assert found[f"{REPO}/notes/a.txt"]["size"] == 2


@call
def fs_walk():
    assert [f"{REPO}/notes"] == [top for top, _, _ in fs.walk(f"{REPO}/notes")][:1]


@call
def fs_info():
    info = fs.info(f"{REPO}/model.safetensors")
    assert info["size"] == len(FILES["model.safetensors"])


@call
def fs_info_of_a_repository():
    assert fs.info(REPO)["type"] == "directory"


@call
def fs_exists():
    assert fs.exists(f"{REPO}/config.json") and not fs.exists(f"{REPO}/missing")


@call
def fs_isdir_isfile():
    assert fs.isdir(f"{REPO}/notes") and fs.isfile(f"{REPO}/notes/a.txt")


@call
def fs_modified():
    assert fs.modified(f"{REPO}/config.json").year > 2000


@call
def fs_url():
    needs(fs, "url")
    assert "resolve" in fs.url(f"{REPO}/config.json")


@call
def fs_read():
    assert fs.read_text(f"{REPO}/notes/a.txt") == "a\n"


@call
def fs_read_a_range():
    with fs.open(f"{REPO}/model.safetensors", "rb") as file:
        file.seek(1000)
        assert file.read(10) == FILES["model.safetensors"][1000:1010]


@call
def fs_read_as_a_stream():
    with fs.open(f"{REPO}/model.safetensors", "rb", block_size=0) as file:
        assert file.read() == FILES["model.safetensors"]


@call
def fs_get():
    fs.get_file(f"{REPO}/config.json", str(HOME / "got.json"))
    assert (HOME / "got.json").read_bytes() == FILES["config.json"]


@call
def fs_get_a_folder():
    fs.get(f"{REPO}/notes/", str(HOME / "notes"), recursive=True)
    assert list((HOME / "notes").rglob("b.txt"))


@call
def fs_write():
    with fs.open(f"{REPO}/written.txt", "w") as file:
        file.write("written")
    assert fresh(f"{REPO}/written.txt")


@call
def fs_write_to_a_dataset():
    with fs.open(f"datasets/{REPO}/rows.csv", "w") as file:
        file.write("a,b\n1,2\n")
    assert fs.read_text(f"datasets/{REPO}/rows.csv") == "a,b\n1,2\n"


@call
def fs_put():
    fs.put_file(str(HOME / "weak"), f"{REPO}/put.bin")
    assert fresh(f"{REPO}/put.bin")


@call
def fs_cp_large():
    fs.cp_file(f"{REPO}/model.safetensors", f"{REPO}/copy.safetensors")
    assert fresh(f"{REPO}/copy.safetensors")


@call
def fs_cp_small():
    fs.cp_file(f"{REPO}/config.json", f"{REPO}/copy.json")
    assert fresh(f"{REPO}/copy.json")


@call
def fs_mv():
    with fs.open(f"{REPO}/before.txt", "w") as file:
        file.write("moved")
    fs.mv(f"{REPO}/before.txt", f"{REPO}/after.txt")
    assert fresh(f"{REPO}/after.txt") and not fresh(f"{REPO}/before.txt")


@call
def fs_rm():
    with fs.open(f"{REPO}/removed.txt", "w") as file:
        file.write("removed")
    fs.rm(f"{REPO}/removed.txt")
    assert not fresh(f"{REPO}/removed.txt")


@call
def fs_rm_a_folder():
    with fs.open(f"{REPO}/folder/removed.txt", "w") as file:
        file.write("removed")
    fs.rm(f"{REPO}/folder", recursive=True)
    assert not fresh(f"{REPO}/folder/removed.txt")


@call
def fs_revision_that_is_missing():
    fs.info(f"{REPO}@v1/config.json")


@call
def fs_ls_of_a_missing_repository():
    fs.ls("team/missing")


run_calls()
