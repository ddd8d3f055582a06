import type { Content } from "../../contract/scanner.ts";
import { ProtobufReader, type ProtobufSpan } from "../../readers/protobuf/protobuf_reader.ts";

/** Fields read to recognize a model, and those of its graph. */
const MAX_FIELDS = 200_000;
const MAX_GRAPH_FIELDS = 100;
/** Real versions are at most about 12. */
const MAX_IR_VERSION = 1000n;
const IR_VERSION = 1;
const GRAPH = 7;
/** Fields of a ModelProto that are messages or strings. */
const MODEL_PARTS = new Set([2, 3, 4, 6, 7, 8, 14, 20, 25, 26]);
/** Fields of a GraphProto that are messages or strings. */
const GRAPH_PARTS = new Set([1, 2, 5, 10, 11, 12, 13, 14, 15, 16]);

/**
 * Whether content is an ONNX model, by its name or its structure. The format has no signature, so the
 * content must be a well-formed message with the version and the graph of a ModelProto.
 */
export function isOnnx({ source, name }: Content): boolean {
  if (/\.onnx$/i.test(name)) return source.size > 0;
  const reader = new ProtobufReader(source, MAX_FIELDS);
  let versions = 0;
  let graphs = 0;
  for (const field of reader.fields(reader.root)) {
    if (field.number === IR_VERSION) {
      if (field.kind !== "varint" || field.value > MAX_IR_VERSION) return false;
      versions += 1;
    } else if (MODEL_PARTS.has(field.number)) {
      if (field.kind !== "bytes") return false;
      if (field.number === GRAPH && isGraph(reader, field.span)) graphs += 1;
    }
  }
  return versions > 0 && graphs > 0 && !reader.faults.has("malformed_protobuf");
}

function isGraph(reader: ProtobufReader, graph: ProtobufSpan): boolean {
  let parts = 0;
  let fields = 0;
  for (const field of reader.fields(graph)) {
    if (GRAPH_PARTS.has(field.number)) {
      if (field.kind !== "bytes") return false;
      parts += 1;
    }
    fields += 1;
    if (fields === MAX_GRAPH_FIELDS) break;
  }
  return parts > 0;
}
