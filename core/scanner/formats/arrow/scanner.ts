import { Buffer } from "node:buffer";
import type { ScanContext } from "../../contract/scanner.ts";
import { type ByteSource, memorySource, sourceSlice } from "../../contract/source.ts";
import { FlatbufferReader, type FlatTable } from "../../readers/flatbuffers/flatbuffer.ts";
import { MalformedError } from "../../readers/malformed.ts";
import { MIB } from "../../../../schemas/units.ts";
import { modelScanner } from "../model/scanner.ts";
import { isActivePickle } from "../pickle/detect.ts";
import { parquetTexts } from "./parquet.ts";
import { Field, Footer, KeyValue, Message, Schema, SCHEMA_MESSAGE } from "./schema.ts";

const STRUCTURE = "Arrow Schema";

const FILE = "ARROW1";
const PARQUET = "PAR1";
/** Begins each message of a stream. */
const CONTINUATION = 0xffffffff;
/** The first message of a file follows its name, at a multiple of eight bytes. */
const FIRST_MESSAGE = 8;
/** Before the end of a file are the length of its footer, as 32 bits, and its name. */
const TAIL_BYTES = 4 + FILE.length;
/** The text of a Parquet file that has the schema of Arrow, in Base64. */
const SCHEMA_TEXT = "ARROW:schema";
const MAX_SCHEMA_BYTES = 64 * MIB;
const MAX_KEY_BYTES = 1024;
const MAX_DEPTH = 64;
const READS_PER_BYTE = 16;

/** The keys by which a field has a type of its own, and a class of Python that pyarrow unpickles before 14.0.1. */
const TYPE_NAME = "ARROW:extension:name";
const TYPE_DATA = "ARROW:extension:metadata";
const PYTHON_TYPE = "arrow.py_extension_type";

/** Scans the schemas of Arrow, Feather and Parquet files. Their data are plain values; the types of these may be pickles. */
export const arrowScanner = modelScanner({
  id: "arrow",
  structure: STRUCTURE,
  passed: { [STRUCTURE]: "The schema was read" },
  matches: ({ source }) =>
    beginsWith(source, FILE) || beginsWith(source, PARQUET) || isStream(source),
  inspect({ source }, context) {
    if (beginsWith(source, PARQUET)) return inspectParquet(source, context);
    if (!beginsWith(source, FILE)) return inspectMessage(source, 0, context);
    inspectMessage(source, FIRST_MESSAGE, context);
    inspectFooter(source, context);
  },
});

function beginsWith(source: ByteSource, name: string): boolean {
  return String.fromCharCode(...source.read(0, name.length)) === name;
}

function isStream(source: ByteSource): boolean {
  try {
    return schemaOf(source, 0) !== undefined;
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error;
    return false;
  }
}

function inspectParquet(source: ByteSource, context: ScanContext): void {
  for (const { key, value, position } of parquetTexts(source)) {
    if (key !== SCHEMA_TEXT) {
      submitPickle(value, position, context);
      continue;
    }
    if (value.size > MAX_SCHEMA_BYTES) {
      throw new MalformedError("arrow_schema_limit", "The schema is too long to be read", true);
    }
    const text = new TextDecoder().decode(value.read(0, value.size));
    inspectMessage(memorySource(new Uint8Array(Buffer.from(text, "base64"))), 0, context);
  }
}

/** @throws {MalformedError} if the message at the position has no schema. */
function inspectMessage(source: ByteSource, at: number, context: ScanContext): void {
  const found = schemaOf(source, at);
  if (found === undefined) {
    throw new MalformedError("arrow_schema", `The message at ${at} has no schema`);
  }
  new SchemaWalk(found.message, context).inspect(found.schema);
}

function inspectFooter(source: ByteSource, context: ScanContext): void {
  const tail = source.read(Math.max(0, source.size - TAIL_BYTES), TAIL_BYTES);
  const end = source.size - TAIL_BYTES;
  const length = end < 0 ? 0 : new DataView(tail.buffer, tail.byteOffset).getUint32(0, true);
  if (String.fromCharCode(...tail.subarray(4)) !== FILE || length > end) {
    throw new MalformedError("arrow_footer", "The file has no footer");
  }
  const footer = sourceSlice(source, end - length, length);
  const reader = new FlatbufferReader(footer);
  const schema = reader.table(reader.root(), Footer.schema);
  if (schema !== undefined) new SchemaWalk(footer, context).inspect(schema);
}

/** The schema in the message at a position, if there is one. */
function schemaOf(source: ByteSource, at: number) {
  const head = source.read(at, 8);
  if (head.length < 8) return undefined;
  const view = new DataView(head.buffer, head.byteOffset);
  if (view.getUint32(0, true) !== CONTINUATION) return undefined;
  const message = sourceSlice(source, at + 8, view.getUint32(4, true));
  if (message.size === 0) return undefined;
  const reader = new FlatbufferReader(message);
  const root = reader.root();
  if (reader.int8(root, Message.headerType) !== SCHEMA_MESSAGE) return undefined;
  const schema = reader.table(root, Message.header);
  return schema && { message, schema };
}

/** Scans what a schema and its fields say besides names and plain types. */
class SchemaWalk {
  readonly #source: ByteSource;
  readonly #reader: FlatbufferReader;
  readonly #context: ScanContext;
  /** Texts may overlap, so that reading all of them takes longer than reading the schema. */
  #bytesLeft: number;

  constructor(source: ByteSource, context: ScanContext) {
    this.#source = source;
    this.#reader = new FlatbufferReader(source);
    this.#context = context;
    this.#bytesLeft = READS_PER_BYTE * source.size;
  }

  inspect(schema: FlatTable): void {
    this.#inspectTexts(schema, Schema.metadata);
    for (const field of this.#reader.tables(schema, Schema.fields)) this.#inspectField(field, 0);
  }

  #inspectField(field: FlatTable, depth: number): void {
    if (depth > MAX_DEPTH) {
      throw new MalformedError("arrow_depth_limit", "Fields are nested too deeply", true);
    }
    this.#inspectTexts(field, Field.metadata);
    for (const child of this.#reader.tables(field, Field.children)) {
      this.#inspectField(child, depth + 1);
    }
  }

  #inspectTexts(parent: FlatTable, list: number): void {
    const isPython = this.#texts(parent, list).some(({ key, text }) =>
      key === TYPE_NAME && this.#reader.text(text, KeyValue.value, MAX_KEY_BYTES) === PYTHON_TYPE
    );
    for (const { key, text } of this.#texts(parent, list)) {
      const { start, count } = this.#reader.vector(text, KeyValue.value, 1);
      this.#bytesLeft -= count;
      if (this.#bytesLeft < 0) {
        throw new MalformedError("arrow_text_limit", "The texts take too many reads", true);
      }
      const value = sourceSlice(this.#source, start, count);
      // Whatever it is, it is unpickled.
      if (isPython && key === TYPE_DATA) this.#context.scanMember(`type at ${start}.pkl`, value);
      else submitPickle(value, start, this.#context);
    }
  }

  /** One after the other, as a hostile file has millions. */
  *#texts(parent: FlatTable, list: number) {
    for (const text of this.#reader.tables(parent, list)) {
      yield { text, key: this.#reader.text(text, KeyValue.key, MAX_KEY_BYTES) };
    }
  }
}

function submitPickle(value: ByteSource, position: number, context: ScanContext): void {
  if (isActivePickle(value)) context.scanMember(`metadata at ${position}`, value);
}
