import * as v from "valibot";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const action = v.picklist(["added", "removed", "changed"]);

/** One of the two things that are compared. */
const ComparedSide = v.object({
  path: v.string(),
  version: v.pipe(
    v.nullable(count),
    v.description("The version of the tree; null for what is there now"),
  ),
  is_dir: v.boolean(),
});

const ComparedContent = v.object({
  size: v.pipe(count, v.description("Bytes")),
  sha256: v.pipe(v.nullable(v.string()), v.description("Null if it is not known yet")),
});

const KeyChange = v.object({
  key: v.pipe(v.string(), v.description("Such as rope_scaling.factor or architectures[0]")),
  action,
  from: v.pipe(v.nullable(v.string()), v.description("As JSON, its first 1000 characters")),
  to: v.nullable(v.string()),
});
export type KeyChange = v.InferOutput<typeof KeyChange>;

const LineHunk = v.object({
  from: v.pipe(count, v.description("The number of its first line in the former text, from 1")),
  to: v.pipe(count, v.description("The same in the latter")),
  lines: v.pipe(
    v.array(v.string()),
    v.description(
      "After a space: in both; after -: in the former; after +: in the latter; after a backslash: a remark",
    ),
  ),
});
export type LineHunk = v.InferOutput<typeof LineHunk>;

/** A file that is different. */
export const FileDifference = v.object({
  action: v.picklist(["added", "removed", "changed", "moved"]),
  path: v.pipe(v.string(), v.description("Below the directories; of files, the name")),
  former_path: v.pipe(v.nullable(v.string()), v.description("Where it was, if that is elsewhere")),
  from: v.nullable(ComparedContent),
  to: v.nullable(ComparedContent),
  compared: v.pipe(
    v.picklist(["tensors", "keys", "lines", "content"]),
    v.description("What of it was compared: content, by its size and digest, if nothing more was"),
  ),
  reason: v.pipe(
    v.nullable(v.string()),
    v.description("Why no more was compared, such as that the file is in quarantine"),
  ),
  keys: v.array(KeyChange),
  hunks: v.array(LineHunk),
  left_out: v.pipe(count, v.description("Keys or lines that are different and not reported")),
});
export type FileDifference = v.InferOutput<typeof FileDifference>;

const ComparedTensor = v.object({
  dtype: v.string(),
  shape: v.array(v.number()),
  bytes: v.nullable(v.number()),
  sha256: v.pipe(v.nullable(v.string()), v.description("Of its elements as they are stored")),
});

/** A tensor that is different. */
export const TensorChange = v.object({
  name: v.string(),
  action,
  differs: v.pipe(
    v.array(v.picklist(["dtype", "shape", "bytes"])),
    v.description("In what, if it is in both"),
  ),
  from: v.nullable(ComparedTensor),
  to: v.nullable(ComparedTensor),
});
export type TensorChange = v.InferOutput<typeof TensorChange>;

/** The weights of a model, in one file or several: those that are different. */
export const WeightsDifference = v.object({
  from: v.pipe(v.array(v.string()), v.description("Its files that are different, by their paths")),
  to: v.array(v.string()),
  format: v.string(),
  state: v.pipe(
    v.picklist(["compared", "pending", "failed"]),
    v.description("Pending: the files are being read for the first time; ask again"),
  ),
  reason: v.pipe(
    v.nullable(v.string()),
    v.description("Why it failed, or what was not compared"),
  ),
  equal: v.pipe(count, v.description("Tensors that are the same in both")),
  added: count,
  removed: count,
  changed: count,
  unread: v.pipe(
    count,
    v.description("Tensors of one type and shape whose bytes were not compared"),
  ),
  tensors: v.array(TensorChange),
  left_out: v.pipe(count, v.description("Tensors that are different and not reported")),
});
export type WeightsDifference = v.InferOutput<typeof WeightsDifference>;

/** What is different between two files, or two directories (C 29). */
export const Comparison = v.object({
  from: ComparedSide,
  to: ComparedSide,
  equal_files: v.pipe(count, v.description("Files with the same path and content")),
  files: v.pipe(v.array(FileDifference), v.description("By path")),
  weights: v.array(WeightsDifference),
  pending: v.pipe(count, v.description("Files of weights that are being read: ask again")),
  complete: v.pipe(v.boolean(), v.description("Whether all files were compared and are reported")),
});
export type Comparison = v.InferOutput<typeof Comparison>;
