import { type ByteSource, memorySource, sourceSlice } from "../../contract/source.ts";
import { Findings, severityOf } from "./findings.ts";
import { OPCODE_BY_BYTE } from "./opcodes.ts";
import type { Instruction } from "./parser.ts";
import { type Allowance, type StreamEnd, walkStream } from "./stream.ts";
import { decodeText, shown } from "./text.ts";
import { PickleWindow } from "./window.ts";
import { MIB } from "../../../../schemas/units.ts";

/** How a pickle lies in a constant of another. */
type Encoding = "raw" | "escaped" | "base64" | "hex";

/** What the search in the constants of a pickle may use. */
export interface NestedSearch {
  readonly opcodes: Allowance;
  readonly guesses: Allowance;
  /** Pickles within pickles that may still be opened. */
  readonly levels: number;
}

/** The longest text that is decoded. */
const MAX_ENCODED = MIB;

const MIN_ENCODED = 16;

/** Instructions of a constant that does not say that it is a pickle. */
const MAX_UNDECLARED_OPCODES = 4096;

/** Constants up to here are read whole. */
const MAX_SMALL = 4096;

const LINE_FEED = 0x0a;
const BACKSLASH = 0x5c;
const PROTO = 0x80;
const EXT1 = 0x82;
const EXT4 = 0x84;
const STACK_GLOBAL = 0x93;

/** Looks into a constant for another pickle, and tells of one that is dangerous. */
export function searchConstant(
  instruction: Instruction,
  findings: Findings,
  search: NestedSearch,
): void {
  for (const encoding of encodingsOf(instruction)) {
    const window = opened(instruction, encoding);
    if (window === undefined || OPCODE_BY_BYTE[window.byte(0)] === undefined) continue;
    walkConstant(window, encoding, instruction.at, findings, search);
  }
}

/** The ways in which the constant may hold a pickle, by its first bytes. */
function encodingsOf(instruction: Instruction): Encoding[] {
  const { window, from, length } = instruction;
  const head = window.bytes(from, Math.min(length, 32));
  const [first = -1, second = -1] = head;
  const encodings: Encoding[] = [];
  if (isEscaped(instruction) || (first === 0xc2 && second === PROTO)) encodings.push("escaped");
  else if (OPCODE_BY_BYTE[first] !== undefined && mayImport(instruction)) encodings.push("raw");
  if (length >= MIN_ENCODED && isHex(head)) encodings.push("hex");
  else if (length >= MIN_ENCODED && isBase64(head) && OPCODE_BY_BYTE[base64Byte(first, second)]) {
    encodings.push("base64");
  }
  return encodings;
}

/** Whether it is a line in which backslashes begin escapes, and has some. */
function isEscaped({ opcode, window, from, length }: Instruction): boolean {
  return (opcode.name === "UNICODE" || opcode.name === "STRING") &&
    window.bytes(from, Math.min(length, MAX_ENCODED)).includes(BACKSLASH);
}

function isHex(head: Uint8Array): boolean {
  return head.every((byte) =>
    (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) ||
    (byte >= 0x61 && byte <= 0x66)
  );
}

function isBase64(head: Uint8Array): boolean {
  return head.every((byte) => sextet(byte) >= 0 || byte === 0x0a || byte === 0x3d);
}

/** The first byte that two characters of base64 stand for. */
function base64Byte(first: number, second: number): number {
  return ((sextet(first) << 2) | (sextet(second) >> 4)) & 0xff;
}

function sextet(byte: number): number {
  if (byte >= 0x41 && byte <= 0x5a) return byte - 0x41;
  if (byte >= 0x61 && byte <= 0x7a) return byte - 0x61 + 26;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30 + 52;
  return byte === 0x2b ? 62 : byte === 0x2f ? 63 : -1;
}

/** The bytes within the constant, as far as they are decoded. */
function opened(instruction: Instruction, encoding: Encoding): PickleWindow | undefined {
  const { window, from, length } = instruction;
  if (encoding === "raw") return new PickleWindow(rawSource(instruction));
  const bytes = window.bytes(from, Math.min(length, MAX_ENCODED));
  const decoded = encoding === "escaped"
    ? latin1Bytes(instruction, bytes)
    : encoding === "hex"
    ? hexBytes(bytes)
    : base64Bytes(bytes);
  return decoded === undefined ? undefined : new PickleWindow(memorySource(decoded));
}

function rawSource({ window, from, length }: Instruction): ByteSource {
  return length <= MAX_SMALL
    ? memorySource(window.bytes(from, length))
    : sourceSlice(window.source, from, length);
}

/** The bytes that a text stands for when it is encoded as Latin-1, which is how Python 2 kept them. */
function latin1Bytes({ opcode }: Instruction, bytes: Uint8Array): Uint8Array | undefined {
  const form = opcode.name === "UNICODE"
    ? "unicode_escape"
    : opcode.name === "STRING"
    ? "string_escape"
    : "utf8";
  const text = decodeText(bytes, form);
  return text.charCodeAt(0) > 0xff
    ? undefined
    : Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function hexBytes(text: Uint8Array): Uint8Array | undefined {
  try {
    return Uint8Array.fromHex(decodeText(text.subarray(0, text.length & ~1), "latin1"));
  } catch {
    return undefined;
  }
}

function base64Bytes(text: Uint8Array): Uint8Array | undefined {
  try {
    const whole = decodeText(text, "latin1").replace(/[\s=]+$/, "");
    return Uint8Array.fromBase64(whole, { lastChunkHandling: "loose" });
  } catch {
    return undefined;
  }
}

/** Whether it is worth a walk: a pickle that imports nothing is harmless. */
function mayImport({ window, from, length }: Instruction): boolean {
  if (length > MAX_SMALL || window.byte(from) === PROTO) return true;
  const bytes = window.bytes(from, length);
  if (bytes.includes(LINE_FEED)) return true;
  return bytes.some((byte) => byte === STACK_GLOBAL || (byte >= EXT1 && byte <= EXT4));
}

function walkConstant(
  window: PickleWindow,
  encoding: Encoding,
  at: number,
  findings: Findings,
  search: NestedSearch,
): void {
  const declared = window.byte(0) === PROTO;
  const inner = new Findings();
  const allowed = declared ? search.opcodes.left : MAX_UNDECLARED_OPCODES;
  const opcodes = { left: Math.min(allowed, search.opcodes.left) };
  const given = opcodes.left;
  const end = walkStream(window, 0, {
    findings: inner,
    opcodes,
    guesses: search.guesses,
    onConstant: (constant) => searchDeeper(constant, inner, search),
  });
  search.opcodes.left -= given - Math.max(0, opcodes.left);
  tell(inner, end, { encoding, at, declared }, findings);
}

function searchDeeper(constant: Instruction, inner: Findings, search: NestedSearch): void {
  if (search.levels > 1) {
    return searchConstant(constant, inner, { ...search, levels: search.levels - 1 });
  }
  if (constant.window.byte(constant.from) !== PROTO) return;
  inner.signal({
    name: "Nested Pickle",
    severity: "warning",
    ruleCode: "S213",
    message: "Pickles lie within pickles more deeply than is looked into",
    position: constant.at,
    incomplete: "nested_depth",
  });
}

interface Place {
  readonly encoding: Encoding;
  readonly at: number;
  readonly declared: boolean;
}

/** Tells of a pickle in a constant, where it is one for certain and would do harm. */
function tell(inner: Findings, end: StreamEnd, place: Place, findings: Findings): void {
  const denied = inner.denied();
  const sure = end.outcome === "stop" || (denied.length > 0 && end.machine.calls > 0) ||
    (place.declared && denied.length > 0);
  const worst = sure ? inner.worst() : undefined;
  if (place.declared && end.outcome === "limit") tellOfLimit(place.at, findings);
  if (worst === undefined || (!place.declared && denied.length === 0)) return;
  const names = [...inner.imports.values()].filter((record) => severityOf(record) !== undefined)
    .slice(0, 10).map(({ module, name }) => shown(`${module}.${name}`));
  findings.signal({
    name: "Nested Pickle",
    severity: worst,
    ruleCode: "S213",
    message: `A constant holds another pickle (${place.encoding})${
      names.length > 0 ? ` that imports ${names.join(", ")}` : ""
    }`,
    position: place.at,
    details: { encoding: place.encoding, imports: names },
    ...inherited(inner),
  });
}

/** Whether something in it was not looked into. */
function inherited(inner: Findings): { incomplete?: string } {
  const incomplete = [...inner.signals.values()].find(({ signal }) => signal.incomplete)?.signal
    .incomplete;
  return incomplete === undefined ? {} : { incomplete };
}

function tellOfLimit(at: number, findings: Findings): void {
  findings.signal({
    name: "Nested Pickle",
    severity: "info",
    ruleCode: "S213",
    message: "A constant holds a pickle of more instructions than are looked at",
    position: at,
    incomplete: "nested_opcodes",
    operational: true,
  });
}
