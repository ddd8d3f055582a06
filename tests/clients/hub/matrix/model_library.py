"""Calls of `transformers`, without a library for tensors."""

import json

from calls import HOME, call, needs_module, run_calls
from huggingface_hub import HfApi
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    AutoConfig,
    AutoTokenizer,
    BertConfig,
    GenerationConfig,
    PreTrainedTokenizerFast,
)
from transformers.utils import cached_file, has_file

REPO = "team/library"
api = HfApi()
api.create_repo(REPO)
BertConfig(hidden_size=8, num_attention_heads=2, num_hidden_layers=1).save_pretrained(HOME / "m")
GenerationConfig(max_length=17).save_pretrained(HOME / "m")
tokens = Tokenizer(models.WordLevel({"[UNK]": 0, "hello": 1}, unk_token="[UNK]"))
tokens.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=tokens, unk_token="[UNK]")
tokenizer.save_pretrained(HOME / "m")
api.upload_folder(repo_id=REPO, folder_path=HOME / "m")


@call
def config_from_pretrained():
    assert AutoConfig.from_pretrained(REPO).hidden_size == 8


@call
def config_from_a_commit():
    sha = api.model_info(REPO).sha
    assert AutoConfig.from_pretrained(REPO, revision=sha).hidden_size == 8


@call
def tokenizer_from_pretrained():
    assert AutoTokenizer.from_pretrained(REPO)("hello")["input_ids"] == [1]


@call
def generation_config_from_pretrained():
    assert GenerationConfig.from_pretrained(REPO).max_length == 17


@call
def _cached_file():
    with open(cached_file(REPO, "config.json")) as file:
        assert json.load(file)["hidden_size"] == 8


@call
def _has_file():
    assert has_file(REPO, "config.json") and not has_file(REPO, "missing.json")


@call
def config_push_to_hub():
    needs_module("jinja2")
    BertConfig(hidden_size=16).push_to_hub("team/pushed-config")
    assert AutoConfig.from_pretrained("team/pushed-config").hidden_size == 16


@call
def tokenizer_push_to_hub():
    needs_module("jinja2")
    tokenizer.push_to_hub("team/pushed-tokenizer")
    assert AutoTokenizer.from_pretrained("team/pushed-tokenizer")("hello")["input_ids"] == [1]


@call
def tokenizer_push_to_hub_again():
    needs_module("jinja2")
    for _ in range(2):
        tokenizer.push_to_hub("team/pushed-twice", private=True)


@call
def from_pretrained_missing():
    AutoConfig.from_pretrained("team/missing")


@call
def from_pretrained_missing_revision():
    AutoConfig.from_pretrained(REPO, revision="v1")


@call
def from_pretrained_bad_credential():
    AutoConfig.from_pretrained(REPO, token="not a credential", cache_dir=HOME / "bad")


run_calls()
