import { ProtobufReader, type ProtobufSpan } from "../../readers/protobuf/protobuf_reader.ts";
import type { Content } from "../../contract/scanner.ts";

/** Kinds of TensorFlow content. `text` is a SavedModel in the protobuf text format. */
export type GraphKind = "saved_model" | "meta_graph" | "graph" | "keras_metadata" | "text";

/** Fields read to recognize content. */
const MAX_FIELDS = 200_000;

/** The kind of content, by a name that TensorFlow uses or by its structure; undefined if it is another. */
export function detectGraphKind(content: Content): GraphKind | undefined {
  if (content.source.size === 0) return undefined;
  return kindByName(content.name) ?? kindByStructure(content);
}

function kindByName(name: string): GraphKind | undefined {
  switch (name.slice(name.lastIndexOf("/") + 1).toLowerCase()) {
    case "saved_model.pb":
      return "saved_model";
    case "saved_model.pbtxt":
      return "text";
    case "keras_metadata.pb":
      return "keras_metadata";
    default:
      return undefined;
  }
}

function kindByStructure({ source, name }: Content): GraphKind | undefined {
  const reader = new ProtobufReader(source, MAX_FIELDS);
  const hasGraphName = /\.(?:pb|meta)$/i.test(name);
  const kind = kindOfRoot(reader);
  // A graph has as little structure as two strings in a message, so its name must match as well.
  if (kind === "graph") return hasGraphName ? kind : undefined;
  return hasGraphName || isWellFormed(new ProtobufReader(source, MAX_FIELDS)) ? kind : undefined;
}

function kindOfRoot(reader: ProtobufReader): GraphKind | undefined {
  const { root } = reader;
  if (has(reader, root, 2, isMetaGraph)) return "saved_model";
  if (isMetaGraph(reader, root)) return "meta_graph";
  if (has(reader, root, 1, isKerasObject)) return "keras_metadata";
  return isGraph(reader, root) ? "graph" : undefined;
}

function isWellFormed(reader: ProtobufReader): boolean {
  const fields = reader.fields(reader.root);
  while (!fields.next().done);
  return !reader.faults.has("malformed_protobuf");
}

type Test = (reader: ProtobufReader, span: ProtobufSpan) => boolean;

/** Whether a message has a field of this number that passes the test. */
function has(reader: ProtobufReader, message: ProtobufSpan, number: number, passes: Test): boolean {
  for (const field of reader.fields(message)) {
    if (field.number !== number) continue;
    if (field.kind !== "bytes") return false;
    if (passes(reader, field.span)) return true;
  }
  return false;
}

function isMetaGraph(reader: ProtobufReader, message: ProtobufSpan): boolean {
  return has(reader, message, 2, isGraph);
}

function isGraph(reader: ProtobufReader, message: ProtobufSpan): boolean {
  return has(reader, message, 1, isNode) || has(reader, message, 2, isLibrary);
}

function isLibrary(reader: ProtobufReader, message: ProtobufSpan): boolean {
  const isFunction: Test = (reader, span) => has(reader, span, 3, isNode);
  return has(reader, message, 1, isFunction);
}

/** Whether a message has a name and an operation, as a NodeDef does. */
function isNode(reader: ProtobufReader, message: ProtobufSpan): boolean {
  return has(reader, message, 1, isName) && has(reader, message, 2, isName);
}

const MAX_NAME_BYTES = 1000;

function isName(reader: ProtobufReader, span: ProtobufSpan): boolean {
  return span.end - span.start <= MAX_NAME_BYTES &&
    /^[A-Za-z0-9_.][\w.\-/>:]*$/.test(reader.text(span, MAX_NAME_BYTES));
}

function isKerasObject(reader: ProtobufReader, message: ProtobufSpan): boolean {
  return has(reader, message, 4, (reader, span) => {
    return reader.text(span, MAX_NAME_BYTES).startsWith("_tf_keras_");
  });
}
