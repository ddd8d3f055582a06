import * as assert from "node:assert/strict";
import type { Scanner } from "../../../../core/scanner/contract/scanner.ts";
import { memorySource } from "../../../../core/scanner/contract/source.ts";
import { ggufScanner } from "../../../../core/scanner/formats/gguf/scanner.ts";
import { hdf5Scanner } from "../../../../core/scanner/formats/hdf5/scanner.ts";
import { onnxScanner } from "../../../../core/scanner/formats/onnx/scanner.ts";
import { pickleScanner } from "../../../../core/scanner/formats/pickle/scanner.ts";
import { safetensorsScanner } from "../../../../core/scanner/formats/safetensors/scanner.ts";
import { textScanner } from "../../../../core/scanner/formats/text/scanner.ts";
import { chars, HEX } from "../knowledge/secrets/sample_secrets.ts";
import { Hdf5Builder } from "../readers/hdf5/hdf5_bytes.ts";
import { bytes as field, message } from "../readers/protobuf/protobuf_bytes.ts";
import { failures, scan } from "./format_scan.ts";
import { bytesOf, entry, file, num, text } from "./gguf/gguf_bytes.ts";
import { attribute, model, node } from "./onnx/onnx_bytes.ts";
import { bytes, s8 } from "./pickle/pickle_bytes.ts";
import { P4 } from "./pickle/pickle_parts.ts";

const TOKEN = "hf_" + "a8Kd02mfLqPz71xVbN45cTyWe9RuIo3sGh";
const KEY = chars(40, HEX);

const utf8 = (content: string) => new TextEncoder().encode(content);
const strings = (...items: readonly string[]) =>
  bytesOf(num(4, 8), num(8, items.length), ...items.map((item) => text(item)));

function safetensors(metadata: Readonly<Record<string, string>>): Uint8Array {
  const header = utf8(JSON.stringify({ __metadata__: metadata }));
  return bytesOf(num(8, header.length), header);
}

function hdf5(name: string, value: string): Uint8Array {
  const builder = new Hdf5Builder();
  return builder.build(builder.object(builder.fixedText(name, value)));
}

/** Contents with a credential in one of their texts. */
const CONTENTS: readonly (readonly [string, Scanner, Uint8Array, name?: string])[] = [
  ["a string of a pickle", pickleScanner, bytes(P4, "]", s8(`token ${TOKEN}`), "a.")],
  ["bytes of a pickle", pickleScanner, bytes(P4, "]C", TOKEN.length, TOKEN, "a.")],
  ["a line of a pickle", pickleScanner, bytes("(lS'", TOKEN, "'\na.")],
  ["a value of a dictionary", pickleScanner, bytes(P4, "}", s8("api_key"), s8(KEY), "s.")],
  ["memoized strings", pickleScanner, bytes(P4, "}", s8("api_key"), "\x94", s8(KEY), "\x94s.")],
  ["a value of GGUF", ggufScanner, file({ entries: [entry("a.b", 8, text(TOKEN))] })],
  [
    "a list of GGUF",
    ggufScanner,
    file({ entries: [entry("general.tags", 9, strings("x", TOKEN))] }),
  ],
  [
    "a tokenizer of GGUF",
    ggufScanner,
    file({ entries: [entry("tokenizer.ggml.tokens", 9, strings("word", TOKEN, "word"))] }),
  ],
  [
    "a property of ONNX",
    onnxScanner,
    message(model(node("Relu")), field(14, field(1, "wandb_key"), field(2, KEY))),
  ],
  ["a description of ONNX", onnxScanner, message(model(node("Relu")), field(6, TOKEN))],
  ["a description of a graph", onnxScanner, model(node("Relu"), field(10, TOKEN))],
  ["an attribute of a node", onnxScanner, model(node("Relu", attribute(4, TOKEN)))],
  ["metadata of safetensors", safetensorsScanner, safetensors({ wandb_key: KEY })],
  ["an attribute of HDF5", hdf5Scanner, hdf5("note", TOKEN)],
  ["an attribute of HDF5 by its name", hdf5Scanner, hdf5("api_key", KEY)],
  ["an environment file", textScanner, utf8(`A=1\nexport WANDB_API_KEY=${KEY}\n`), ".env"],
  ["another environment file", textScanner, utf8(`WANDB_API_KEY=${KEY}`), "train.env"],
  ["a local environment file", textScanner, utf8(`HF_TOKEN=${TOKEN}\n`), ".env.local"],
  ["a text", textScanner, utf8(`Run it with WANDB_API_KEY=${KEY} python train.py`), "notes.txt"],
];

Deno.test("S701: credentials are found in every text that a model carries", async (t) => {
  for (const [title, scanner, content, name = "model"] of CONTENTS) {
    await t.step(title, () => {
      assert.ok(scanner.matches({ name, source: memorySource(content), depth: 0 }));
      const { checks } = scan(scanner, content, { name });
      const found = failures(checks).filter(({ ruleCode }) => ruleCode === "S701");
      assert.equal(found.length, 1, JSON.stringify(failures(checks)));
      assert.ok(!JSON.stringify(checks).includes(TOKEN.slice(8)));
      assert.ok(!JSON.stringify(checks).includes(KEY.slice(8)));
    });
  }
});
