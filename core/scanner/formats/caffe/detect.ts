import type { Content } from "../../contract/scanner.ts";
import { decodeLatin1 } from "../../readers/bytes/bytes.ts";
import { ProtobufReader, type ProtobufSpan } from "../../readers/protobuf/protobuf_reader.ts";

/** Fields read to recognize a network, and those of a layer. */
const MAX_FIELDS = 100;
const MAX_NAME_BYTES = 256;
const HEAD_BYTES = 1024;
const NAME = 1;
export const V1_LAYER = 2;
export const LAYER = 100;

/**
 * Whether content is a NetParameter, by its name or its structure: a name and layers that each have a
 * name and a type.
 */
export function isNet({ source, name }: Content): boolean {
  if (/\.caffemodel$/i.test(name)) return source.size > 0;
  const head = source.read(0, 2);
  if (head[0] !== 0x0a || (head[1] ?? 0) === 0 || (head[1] ?? 0) > 0x7f) return false;
  const reader = new ProtobufReader(source, MAX_FIELDS);
  let layers = 0;
  for (const field of reader.fields(reader.root)) {
    if (field.number > 8 && field.number !== LAYER) return false;
    if (field.number === NAME && !isName(reader, field)) return false;
    if (field.kind !== "bytes" || field.number !== LAYER) continue;
    if (!isLayer(reader, field.span)) return false;
    layers++;
  }
  return layers > 0 && !reader.faults.has("malformed_protobuf");
}

type Field = ReturnType<ProtobufReader["fields"]> extends Generator<infer It> ? It : never;

function isName(reader: ProtobufReader, field: Field): boolean {
  return field.kind === "bytes" &&
    /^[\x20-\x7e]+$/.test(decodeLatin1(reader.bytes(field.span, MAX_NAME_BYTES)));
}

function isLayer(reader: ProtobufReader, layer: ProtobufSpan): boolean {
  let named = 0;
  for (const field of reader.fields(layer)) {
    if (field.number > 2) break;
    if (!isName(reader, field)) return false;
    named++;
  }
  return named === 2;
}

/** Whether content is a network in the text format. */
export function isNetText({ source, name }: Content): boolean {
  if (/\.prototxt$/i.test(name)) return source.size > 0;
  const first = source.read(0, 1)[0] ?? 0;
  // A letter or the sign of a comment.
  if (first !== 0x23 && !(first >= 0x61 && first <= 0x7a)) return false;
  const head = decodeLatin1(source.read(0, HEAD_BYTES));
  return TEXT_HEAD.test(head);
}

/** A name, and then a layer or an input, with comments anywhere. */
const TEXT_HEAD =
  /^(?:\s|#[^\n]*\n)*(?:name\s*:\s*["'][^"'\n]*["'](?:\s|#[^\n]*\n)*)?(?:layers?\s*\{\s*(?:name|type|bottom|top)\s*:|input\s*:\s*")/;
