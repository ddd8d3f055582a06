"""Calls of `datasets`, which reads and writes data sets."""

from calls import call, run_calls
from datasets import (
    Dataset,
    DatasetDict,
    get_dataset_config_names,
    get_dataset_split_names,
    load_dataset,
    load_dataset_builder,
)
from huggingface_hub import CommitOperationAdd, HfApi

REPO = "team/rows"
ROWS = b"a,b\n1,x\n2,y\n3,z\n"
api = HfApi()
api.create_repo(REPO, repo_type="dataset")
api.create_commit(REPO, repo_type="dataset", commit_message="Fill", operations=[
    CommitOperationAdd("data/train.csv", ROWS),
    CommitOperationAdd("data/test.csv", ROWS),
    CommitOperationAdd("lines/some.jsonl", b'{"a": 1}\n{"a": 2}\n'),
])
SMALL = Dataset.from_dict({"a": [1, 2, 3]})
LARGE = Dataset.from_dict({"text": [f"{number} " * 20 for number in range(20_000)]})


@call
def load_dataset_by_its_name():
    found = load_dataset(REPO, data_dir="data")
    assert {name: len(it) for name, it in found.items()} == {"train": 3, "test": 3}


@call
def load_dataset_split():
    assert load_dataset(REPO, data_dir="data", split="train[:2]")["b"][:] == ["x", "y"]


@call
def load_dataset_data_files():
    found = load_dataset(REPO, data_files="lines/*.jsonl", split="train")
    assert found["a"][:] == [1, 2]


@call
def load_dataset_revision():
    sha = api.dataset_info(REPO).sha
    assert len(load_dataset(REPO, data_dir="data", revision=sha, split="test")) == 3


@call
def load_dataset_streaming():
    found = load_dataset(REPO, data_dir="data", split="train", streaming=True)
    assert [it["a"] for it in found] == [1, 2, 3]


@call
def load_dataset_by_a_hub_path():
    found = load_dataset("csv", data_files=f"hf://datasets/{REPO}/data/train.csv", split="train")
    assert len(found) == 3


@call
def _get_dataset_config_names():
    assert get_dataset_config_names(REPO) == ["default"]


@call
def _get_dataset_split_names():
    assert sorted(get_dataset_split_names(REPO)) == ["test", "train"]


@call
def _load_dataset_builder():
    assert load_dataset_builder(REPO, data_dir="data").info is not None


@call
def push_to_hub_small():
    SMALL.push_to_hub("team/small")
    assert load_dataset("team/small", split="train")["a"][:] == [1, 2, 3]


@call
def push_to_hub_large():
    LARGE.push_to_hub("team/large")
    assert len(load_dataset("team/large", split="train")) == 20_000


@call
def push_to_hub_shards():
    LARGE.push_to_hub("team/shards", num_shards=3)
    assert len(load_dataset("team/shards", split="train")) == 20_000


@call
def push_to_hub_again():
    for _ in range(2):
        SMALL.push_to_hub("team/again")
    assert len(load_dataset("team/again", split="train")) == 3


@call
def push_to_hub_splits_and_configurations():
    splits = DatasetDict({"train": SMALL, "test": SMALL})
    splits.push_to_hub("team/configurations", config_name="one")
    splits.push_to_hub("team/configurations", config_name="two")
    assert sorted(get_dataset_config_names("team/configurations")) == ["one", "two"]


@call
def push_to_hub_private():
    SMALL.push_to_hub("team/closed", private=True)


@call
def push_to_hub_create_pr():
    SMALL.push_to_hub("team/pulled", create_pr=True)


@call
def push_to_hub_revision():
    SMALL.push_to_hub("team/small", revision="dev")


@call
def load_dataset_missing():
    load_dataset("team/missing")


@call
def to_parquet_by_a_hub_path():
    api.create_repo("team/parquet", repo_type="dataset")
    SMALL.to_parquet("hf://datasets/team/parquet/train.parquet")
    assert len(load_dataset("team/parquet", split="train")) == 3


run_calls()
