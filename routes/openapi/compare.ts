/** The comparison of files and directories (C 29). */

import type { Operation } from "./operation.ts";
import { enveloped, query, reference } from "./parts.ts";

const RULE =
  "What follows the last @ is a version, an RFC 3339 time or a tag, unless something is at the whole path";

export const COMPARE: Operation = {
  id: "compareResources",
  tag: "resources",
  summary: "Compare two files or directories, or versions of them",
  description:
    "Tensors of safetensors, GGUF, ONNX, NumPy and PyTorch files that are only in one, or differ in type, shape or " +
    "bytes; keys of JSON; " +
    "lines of texts; other files by size and SHA-256. Contents that the gate refuses are not read. Weights are read " +
    "when they are compared for the first time: while pending is not 0, ask again. Names of tensors are compared in " +
    "all files of a model together, whose names differ in -00001-of-00002 alone.",
  parameters: [
    {
      ...query("from", { type: "string" }, `A path. ${RULE}`, "models/llama@v1.0"),
      required: true,
    },
    {
      ...query("to", { type: "string" }, `A path of the same kind. ${RULE}`, "models/llama"),
      required: true,
    },
    query(
      "from_at",
      { type: "string" },
      "A version, time or tag for from, whose @ is a part of the path then",
      "v1.0",
    ),
    query("to_at", { type: "string" }, "The same for to", "2026-11-22T09:00:00Z"),
  ],
  responses: {
    200: enveloped("What is different", reference("Comparison")),
  },
  refusals: ["ErrResourcesNotFound", "ErrVersionsNotFound"],
};
