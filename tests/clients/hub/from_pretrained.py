"""Loads a tiny model as users of transformers do, and prints what it is or why it was refused."""

import json
import sys

from huggingface_hub import hf_hub_download
from safetensors.numpy import load_file
from transformers import AutoConfig, AutoTokenizer, GenerationConfig


def outcome(call):
    """What a call returns, or what it raises, with its causes."""
    try:
        return call()
    except Exception as raised:
        messages = []
        while raised is not None:
            messages.append(f"{type(raised).__name__}: {raised}")
            raised = raised.__cause__ or raised.__context__
        return {"error": "\n".join(messages)}


def tokenizer(repo):
    loaded = AutoTokenizer.from_pretrained(repo)
    return {"ids": loaded("hello world")["input_ids"], "template": loaded.chat_template}


print(json.dumps({
    repo: {
        "config": outcome(lambda: AutoConfig.from_pretrained(repo).hidden_size),
        "generation": outcome(lambda: GenerationConfig.from_pretrained(repo).max_length),
        "tokenizer": outcome(lambda: tokenizer(repo)),
        "weights": outcome(lambda: {
            name: [list(it.shape), float(it.sum())]
            for name, it in load_file(hf_hub_download(repo, "model.safetensors")).items()
        }),
    }
    for repo in sys.argv[1:]
}))
