"""Saves a tiny model, with a tokenizer, in a directory as transformers would."""

import json
import pathlib
import sys

import numpy
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import BertConfig, GenerationConfig, PreTrainedTokenizerFast

directory = pathlib.Path(sys.argv[1])
directory.mkdir(parents=True)
vocabulary = {"[UNK]": 0, "[PAD]": 1, "hello": 2, "world": 3}
tokens = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
tokens.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=tokens, unk_token="[UNK]", pad_token="[PAD]")
tokenizer.chat_template = sys.argv[2] if len(sys.argv) > 2 else None
tokenizer.save_pretrained(directory)
BertConfig(hidden_size=8, num_attention_heads=2, num_hidden_layers=1).save_pretrained(directory)
GenerationConfig(max_length=17).save_pretrained(directory)
save_file({"weight": numpy.ones((4, 8), dtype=numpy.float32)}, directory / "model.safetensors")
print(json.dumps(sorted(it.name for it in directory.iterdir())))
