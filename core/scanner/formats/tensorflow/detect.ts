import { ProtobufReader, type ProtobufSpan } from "../../readers/protobuf/protobuf_reader.ts";
import type { Content } from "../../contract/scanner.ts";

/** What content of TensorFlow is; `text` is a SavedModel in the text format of protobuf. */
export type GraphKind = "saved_model" | "meta_graph" | "graph" | "keras_metadata" | "text";

/** Fields that are looked at to tell what content is. */
const LOOKED_AT = 200_000;

/** What content is, by the names that TensorFlow gives or by its structure; undefined for any other. */
export function graphKindOf(content: Content): GraphKind | undefined {
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
  const reader = new ProtobufReader(source, LOOKED_AT);
  const isNamed = /\.(?:pb|meta)$/i.test(name);
  const kind = kindOfMessage(reader);
  // Two texts in a message are too little to tell a graph by alone.
  if (kind === "graph") return isNamed ? kind : undefined;
  return isNamed || isWellFormed(new ProtobufReader(source, LOOKED_AT)) ? kind : undefined;
}

function kindOfMessage(reader: ProtobufReader): GraphKind | undefined {
  const { root: whole } = reader;
  if (has(reader, whole, 2, isMetaGraph)) return "saved_model";
  if (isMetaGraph(reader, whole)) return "meta_graph";
  if (has(reader, whole, 1, isKerasObject)) return "keras_metadata";
  return isGraph(reader, whole) ? "graph" : undefined;
}

function isWellFormed(reader: ProtobufReader): boolean {
  const fields = reader.fields(reader.root);
  while (!fields.next().done);
  return !reader.faults.has("malformed_protobuf");
}

type Test = (reader: ProtobufReader, span: ProtobufSpan) => boolean;

/** Whether a message has a field of the number that passes the test. */
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

/** A node has a name and an operation. */
function isNode(reader: ProtobufReader, message: ProtobufSpan): boolean {
  return has(reader, message, 1, isName) && has(reader, message, 2, isName);
}

const LONGEST_NAME = 1000;

function isName(reader: ProtobufReader, span: ProtobufSpan): boolean {
  return span.end - span.start <= LONGEST_NAME &&
    /^[A-Za-z0-9_.][\w.\-/>:]*$/.test(reader.text(span, LONGEST_NAME));
}

function isKerasObject(reader: ProtobufReader, message: ProtobufSpan): boolean {
  return has(reader, message, 4, (reader, span) => {
    return reader.text(span, LONGEST_NAME).startsWith("_tf_keras_");
  });
}
