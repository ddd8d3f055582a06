import * as assert from "node:assert/strict";
import { wantedRevision } from "../../../routes/console/app/mirror/names.ts";

const model = (repository: string, revision?: string) => ({
  ...{ repository, type: "model" },
  ...(revision !== undefined && { revision }),
});

Deno.test("C 28 a revision is named, or by the address of any of its pages", () => {
  const named = [
    [" google/gemma ", model("google/gemma")],
    ["gpt2", model("gpt2")],
    ["google/gemma@v1.1", model("google/gemma", "v1.1")],
    ["google/gemma@refs/pr/1", model("google/gemma", "refs/pr/1")],
    ["datasets/google/questions", { repository: "google/questions", type: "dataset" }],
    ["https://huggingface.co/google/gemma/", model("google/gemma")],
    ["https://huggingface.co/google/gemma?library=transformers#usage", model("google/gemma")],
    ["https://huggingface.co/google/gemma/tree/main", model("google/gemma", "main")],
    ["https://huggingface.co/google/gemma/tree/main/onnx", model("google/gemma", "main")],
    ["https://huggingface.co/google/gemma/blob/v1.1/a/b.json", model("google/gemma", "v1.1")],
    [
      "https://huggingface.co/google/gemma/resolve/refs%2Fpr%2F1/config.json?download=true",
      model("google/gemma", "refs/pr/1"),
    ],
    [
      "https://huggingface.co/datasets/google/questions/blob/main/a.csv",
      { repository: "google/questions", type: "dataset", revision: "main" },
    ],
    ["google:gemma", undefined],
    ["", undefined],
    ["a/b/c", undefined],
    ["https://huggingface.co/", undefined],
  ] as const;
  for (const [text, expected] of named) {
    assert.deepEqual(wantedRevision(text), expected, text);
  }
});
