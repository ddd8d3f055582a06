"""Calls of HfApi that read, of a model and a data set `team/tiny`."""

import inspect
import itertools
import os

import huggingface_hub
from calls import CARD, FILES, HOME, call, needs, run_calls, takes
from huggingface_hub import (
    CommitOperationAdd,
    DatasetCard,
    HfApi,
    ModelCard,
    get_hf_file_metadata,
    hf_hub_download,
    hf_hub_url,
    list_models,
    scan_cache_dir,
    snapshot_download,
    try_to_load_from_cache,
)

REPO = "team/tiny"
api = HfApi()
for kind in ("model", "dataset"):
    api.create_repo(REPO, repo_type=kind)
    api.create_commit(REPO, commit_message="Fill", repo_type=kind, operations=[
        CommitOperationAdd(path, content) for path, content in FILES.items()
    ])
api.create_repo("zoo/tiny")
SHA = api.model_info(REPO).sha


def content(path):
    with open(path, "rb") as file:
        return file.read()


def cache(name):
    return HOME / "caches" / name


@call
def whoami():
    assert api.whoami()["name"].startswith("user-")


@call
def login():
    huggingface_hub.login(token=huggingface_hub.get_token(), add_to_git_credential=False)


@call
def get_token_permission():
    needs(api, "get_token_permission")
    assert api.get_token_permission() == "write"


@call
def auth_check():
    needs(api, "auth_check")
    api.auth_check(REPO)


@call
def model_info():
    info = api.model_info(REPO)
    assert sorted(it.rfilename for it in info.siblings) == sorted(FILES)


@call
def model_info_with_sizes_and_security():
    info = api.model_info(REPO, files_metadata=True, securityStatus=True)
    assert {it.rfilename: it.size for it in info.siblings}["config.json"] == 22


@call
def model_info_expand():
    takes(api.model_info, "expand")
    info = api.model_info(REPO, expand=["sha", "siblings", "lastModified", "private", "tags"])
    assert info.sha == SHA and info.private


@call
def model_info_of_a_commit():
    assert api.model_info(REPO, revision=SHA).sha == SHA


@call
def dataset_info():
    assert api.dataset_info(REPO).id == REPO


@call
def repo_info():
    assert api.repo_info(REPO, repo_type="dataset").sha == api.dataset_info(REPO).sha


@call
def space_info():
    api.space_info(REPO)


@call
def repo_exists():
    assert api.repo_exists(REPO) and not api.repo_exists("team/missing")


@call
def file_exists():
    assert api.file_exists(REPO, "config.json") and not api.file_exists(REPO, "missing")


@call
def revision_exists():
    needs(api, "revision_exists")
    assert api.revision_exists(REPO, SHA) and not api.revision_exists(REPO, "v1")


@call
def resolve_revision():
    needs(api, "resolve_revision")
    assert api.resolve_revision(REPO, revision="main").resolved == SHA


@call
def list_repo_files():
    assert sorted(api.list_repo_files(REPO)) == sorted(FILES)


@call
def list_repo_tree():
    assert {it.path for it in api.list_repo_tree(REPO, "notes")} == {"notes/a.txt", "notes/more"}


@call
def list_repo_tree_recursive_expand():
    found = [it.path for it in api.list_repo_tree(REPO, recursive=True, expand=True)]
    assert set(FILES) < set(found)


@call
def list_files_info():
    needs(api, "list_files_info")
    assert len(list(api.list_files_info(REPO))) == len(FILES)


@call
def get_paths_info():
    found = api.get_paths_info(REPO, ["config.json", "notes", "missing"], expand=True)
    assert sorted(it.path for it in found) == ["config.json", "notes"]


@call
def list_repo_refs():
    refs = api.list_repo_refs(REPO)
    assert [(it.name, it.target_commit) for it in refs.branches] == [("main", SHA)]


@call
def list_repo_commits():
    assert next(iter(api.list_repo_commits(REPO))).commit_id == SHA


@call
def list_repo_likers():
    list(api.list_repo_likers(REPO))


@call
def list_lfs_files():
    needs(api, "list_lfs_files")
    list(api.list_lfs_files(REPO))


@call
def verify_repo_checksums():
    needs(api, "verify_repo_checksums")
    directory = snapshot_download(REPO, local_dir=cache("verified"))
    result = api.verify_repo_checksums(REPO, local_dir=directory)
    assert result.checked_count == len(FILES) and not result.mismatches


def ids(**options):
    return [it.id for it in list_models(**options)]


@call
def _list_models():
    assert {REPO, "zoo/tiny"} <= set(ids())


@call
def list_models_author():
    assert set(ids(author="zoo")) == {"zoo/tiny"}


@call
def list_models_search():
    assert "zoo/tiny" in ids(search="OO/TI") and ids(search="nothing") == []


@call
def list_models_sort():
    found = [it.last_modified for it in list_models(sort="last_modified")]
    assert len(found) >= 2 and found == sorted(found, reverse=True)


@call
def list_models_limit():
    assert len(ids(limit=1)) == 1


@call
def list_models_full():
    found = {it.id: it for it in list_models(full=True)}
    assert sorted(it.rfilename for it in found[REPO].siblings) == sorted(FILES)


@call
def list_models_filter():
    ids(filter="text-classification")


@call
def list_models_card_data():
    assert {REPO, "zoo/tiny"} <= set(ids(cardData=True))


@call
def list_datasets():
    assert [it.id for it in api.list_datasets(author="team", search="tin", limit=5)] == [REPO]


@call
def list_datasets_full_sort():
    found = {it.id: it for it in api.list_datasets(full=True, sort="created_at")}
    assert sorted(it.rfilename for it in found[REPO].siblings) == sorted(FILES)


@call
def list_spaces():
    list(api.list_spaces())


@call
def hf_hub_url_and_metadata():
    metadata = get_hf_file_metadata(hf_hub_url(REPO, "config.json"))
    assert metadata.commit_hash == SHA and metadata.size == 22


@call
def hf_hub_download_cold():
    path = hf_hub_download(REPO, "model.safetensors", cache_dir=cache("cold"))
    assert content(path) == FILES["model.safetensors"]


@call
def hf_hub_download_cached():
    first, again = (
        hf_hub_download(REPO, "config.json", cache_dir=cache("cached")) for _ in range(2)
    )
    assert first == again == try_to_load_from_cache(REPO, "config.json", cache_dir=cache("cached"))


@call
def hf_hub_download_forced():
    for force in (False, True):
        path = hf_hub_download(REPO, "config.json", cache_dir=cache("f"), force_download=force)
    assert content(path) == FILES["config.json"]


@call
def hf_hub_download_of_a_commit_to_a_directory():
    path = hf_hub_download(REPO, "notes/a.txt", revision=SHA, local_dir=cache("local"))
    assert content(path) == b"a\n"


@call
def hf_hub_download_of_a_dataset():
    path = hf_hub_download(REPO, "a.txt", subfolder="notes", repo_type="dataset")
    assert content(path) == b"a\n"


@call
def hf_hub_download_offline():
    hf_hub_download(REPO, "config.json", cache_dir=cache("offline"))
    path = hf_hub_download(REPO, "config.json", cache_dir=cache("offline"), local_files_only=True)
    assert content(path) == FILES["config.json"]


@call
def hf_hub_download_cut_and_resumed():
    options = {"endpoint": os.environ["CUT_ENDPOINT"], "cache_dir": cache("cut")}
    if "resume_download" in inspect.signature(hf_hub_download).parameters:
        options["resume_download"] = True
    try:
        hf_hub_download(REPO, "model.safetensors", **options)
    except Exception as cut:  # Some versions go on by themselves.
        print(cut)
    path = hf_hub_download(REPO, "model.safetensors", **options)
    assert content(path) == FILES["model.safetensors"]


@call
def hf_hub_download_without_the_privilege():
    weak = (HOME / "weak").read_text()
    hf_hub_download(REPO, "config.json", token=weak, cache_dir=cache("weak"))


@call
def hf_hub_download_missing_file():
    hf_hub_download(REPO, "missing.json")


@call
def hf_hub_download_missing_repository():
    hf_hub_download("team/missing", "config.json")


@call
def hf_hub_download_bad_credential():
    hf_hub_download(REPO, "config.json", token="not a credential", cache_dir=cache("bad"))


@call
def snapshot_download_bad_credential():
    snapshot_download(REPO, token="not a credential", cache_dir=cache("bad"))


@call
def model_info_bad_credential():
    HfApi(token="not a credential").model_info(REPO)


@call
def whoami_bad_credential():
    HfApi(token="not a credential").whoami()


@call
def _snapshot_download():
    path = snapshot_download(REPO, cache_dir=cache("snapshot"))
    assert all(content(f"{path}/{name}") == it for name, it in FILES.items())


@call
def snapshot_download_patterns():
    path = snapshot_download(REPO, cache_dir=cache("p"), allow_patterns="notes/*", revision=SHA)
    assert content(f"{path}/notes/a.txt") == b"a\n"


@call
def snapshot_download_dataset_to_a_directory():
    path = snapshot_download(REPO, repo_type="dataset", local_dir=cache("dataset"))
    assert content(f"{path}/README.md") == CARD


@call
def _scan_cache_dir():
    snapshot_download(REPO, cache_dir=cache("scanned"))
    assert next(iter(scan_cache_dir(cache("scanned")).repos)).repo_id == REPO


@call
def get_safetensors_metadata():
    found = api.get_safetensors_metadata(REPO)
    assert found.parameter_count == {"F32": 25_000}


@call
def parse_safetensors_file_metadata():
    found = api.parse_safetensors_file_metadata(REPO, "model.safetensors")
    assert list(found.tensors) == ["weight"]


@call
def model_card_load():
    assert ModelCard.load(REPO).data.license == "mit"


@call
def dataset_card_load():
    assert DatasetCard.load(REPO).data.tags == ["tiny"]


@call
def get_full_repo_name():
    assert api.get_full_repo_name("own").startswith("user-")


@call
def get_model_tags():
    api.get_model_tags()


@call
def list_collections():
    list(itertools.islice(api.list_collections(owner="team"), 1))


@call
def get_repo_discussions():
    list(api.get_repo_discussions(REPO))


@call
def list_papers():
    needs(api, "list_papers")
    list(api.list_papers(query="x"))


@call
def get_user_overview():
    needs(api, "get_user_overview")
    api.get_user_overview("user-1")


@call
def list_webhooks():
    needs(api, "list_webhooks")
    api.list_webhooks()


@call
def list_pending_access_requests():
    list(api.list_pending_access_requests(REPO))


run_calls()
