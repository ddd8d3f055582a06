import { type ByteSource, memorySource, sourceSlice } from "../../contract/source.ts";
import { escapedExcerpt, Findings, importSeverity, type Signal } from "./findings.ts";
import { decodeText } from "./literals.ts";
import { OPCODE_BY_BYTE, PROTO } from "./opcodes.ts";
import type { Instruction } from "./parser.ts";
import type { Budget } from "./budget.ts";
import { type StreamEnd, walkStream } from "./stream.ts";
import { PickleWindow } from "./window.ts";
import { KIB, MIB } from "../../../../schemas/units.ts";
import { trimEnd } from "../../readers/text/trim_end.ts";

/** How a constant encodes a nested pickle. */
type NestedEncoding = "raw" | "escaped" | "base64" | "hex";

/** Work that the search of one file's constants may do. */
export interface NestedBudgets {
  readonly opcodes: Budget;
  readonly arrayOpcodes: Budget;
  readonly memory: Budget;
}

/** Longest constant that is decoded as text. */
const MAX_ENCODED_BYTES = MIB;

/** Shorter constants are not pickles that import something. */
const MIN_PICKLE_BYTES = 8;

const MIN_ENCODED_BYTES = 16;

/** Instructions that are read from a constant that does not begin with PROTO. */
const MAX_UNDECLARED_OPCODES = 4096;

/** Constants up to this size are read at once. */
const MAX_SMALL_BYTES = 4 * KIB;

/** Imports of a nested pickle that are listed. */
const MAX_LISTED_IMPORTS = 10;

const LINE_FEED = 0x0a;
const BACKSLASH = 0x5c;
const EXT1 = 0x82;
const EXT4 = 0x84;
const STACK_GLOBAL = 0x93;

/** Searches the constants of a pickle for nested pickles, and reports dangerous ones. */
export class NestedSearch {
  readonly #findings: Findings;
  readonly #budgets: NestedBudgets;
  readonly #levels: number;

  /**
   * @param findings Receives what is found.
   * @param levels Levels of pickles within pickles that are searched.
   */
  constructor(findings: Findings, budgets: NestedBudgets, levels: number) {
    this.#findings = findings;
    this.#budgets = budgets;
    this.#levels = levels;
  }

  /** Searches the constant that an instruction pushes. */
  search(constant: Instruction): void {
    if (constant.length < MIN_PICKLE_BYTES) return;
    for (const encoding of encodingsOf(constant)) {
      const window = decoded(constant, encoding);
      if (window === undefined || OPCODE_BY_BYTE[window.byte(0)] === undefined) continue;
      this.#walk({ window, encoding, at: constant.at, declared: window.byte(0) === PROTO });
    }
  }

  #walk(candidate: Candidate): void {
    const inner = new Findings();
    const { opcodes: shared, arrayOpcodes, memory } = this.#budgets;
    const allowed = candidate.declared ? shared.left : MAX_UNDECLARED_OPCODES;
    const opcodes = { left: Math.min(allowed, shared.left) };
    const given = opcodes.left;
    const end = walkStream(candidate.window, 0, {
      findings: inner,
      opcodes,
      arrayOpcodes,
      memory,
      onConstant: this.#innerSearch(inner),
    });
    shared.left -= given - Math.max(0, opcodes.left);
    this.#report(candidate, inner, end);
  }

  #innerSearch(inner: Findings): (constant: Instruction) => void {
    if (this.#levels <= 1) return (constant) => signalTooDeep(constant, inner);
    const deeper = new NestedSearch(inner, this.#budgets, this.#levels - 1);
    return (constant) => deeper.search(constant);
  }

  /** Reports a nested pickle if it certainly is one and is dangerous. */
  #report({ encoding, at, declared }: Candidate, inner: Findings, end: StreamEnd): void {
    const denied = inner.denied();
    const certain = end.outcome === "stop" ||
      (denied.length > 0 && (declared || end.machine.calls > 0));
    const worst = certain ? inner.worst() : undefined;
    if (declared && end.outcome === "limit") this.#findings.addSignal(tooLong(at));
    if (worst === undefined || (!declared && denied.length === 0)) return;
    const names = [...inner.imports.values()].filter((record) =>
      importSeverity(record) !== undefined
    )
      .slice(0, MAX_LISTED_IMPORTS)
      .map(({ module, name }) => escapedExcerpt(`${module}.${name}`));
    this.#findings.addSignal({
      name: "Nested Pickle",
      severity: worst,
      ruleCode: "S213",
      message: `A constant contains another pickle (${encoding})${
        names.length > 0 ? ` that imports ${names.join(", ")}` : ""
      }`,
      position: at,
      details: { encoding, imports: names },
      ...incompleteOf(inner),
    });
  }
}

/** A constant that may be a pickle. */
interface Candidate {
  readonly window: PickleWindow;
  readonly encoding: NestedEncoding;
  /** Offset of the instruction that pushes the constant. */
  readonly at: number;
  /** Whether it begins with PROTO. */
  readonly declared: boolean;
}

function signalTooDeep(constant: Instruction, inner: Findings): void {
  if (constant.window.byte(constant.from) !== PROTO) return;
  inner.addSignal({
    name: "Nested Pickle",
    severity: "warning",
    ruleCode: "S213",
    message: "Pickles are nested too deeply to scan",
    position: constant.at,
    incomplete: "nested_depth",
    operational: true,
  });
}

function tooLong(at: number): Signal {
  return {
    name: "Nested Pickle",
    severity: "info",
    ruleCode: "S213",
    message: "A constant contains a pickle with too many instructions to scan",
    position: at,
    incomplete: "nested_opcodes",
    operational: true,
  };
}

/** Why a part of a nested pickle was not scanned, if so. */
function incompleteOf(inner: Findings): Pick<Signal, "incomplete" | "operational"> {
  const signals = Array.from(inner.signals.values(), ({ signal }) => signal);
  const incomplete = signals.find((signal) => signal.incomplete)?.incomplete;
  if (incomplete === undefined) return {};
  return { incomplete, ...signals.some(({ operational }) => operational) && { operational: true } };
}

/** Returns the encodings in which a constant may contain a pickle, by its first bytes. */
function encodingsOf(instruction: Instruction): NestedEncoding[] {
  const { window, from, length } = instruction;
  const head = window.bytes(from, Math.min(length, 32));
  const [first = -1, second = -1] = head;
  const encodings: NestedEncoding[] = [];
  if (isEscaped(instruction) || (first === 0xc2 && second === PROTO)) encodings.push("escaped");
  else if (OPCODE_BY_BYTE[first] !== undefined && mayImport(instruction)) encodings.push("raw");
  if (length >= MIN_ENCODED_BYTES && isHex(head)) encodings.push("hex");
  else if (
    length >= MIN_ENCODED_BYTES && isBase64(head) && OPCODE_BY_BYTE[base64Byte(first, second)]
  ) {
    encodings.push("base64");
  }
  return encodings;
}

/** Whether the constant is of a kind that has escapes, and contains a backslash. */
function isEscaped({ opcode, window, from, length }: Instruction): boolean {
  return (opcode.name === "UNICODE" || opcode.name === "STRING") &&
    window.bytes(from, Math.min(length, MAX_ENCODED_BYTES)).includes(BACKSLASH);
}

/** Python's `bytes.fromhex` skips white space. */
function isHex(head: Uint8Array): boolean {
  return head.every((byte) =>
    isSpace(byte) ||
    (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) ||
    (byte >= 0x61 && byte <= 0x66)
  );
}

function isBase64(head: Uint8Array): boolean {
  return head.every((byte) => sextet(byte) >= 0 || isSpace(byte) || byte === 0x3d);
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

/** The first byte that two base64 characters encode. */
function base64Byte(first: number, second: number): number {
  return ((sextet(first) << 2) | (sextet(second) >> 4)) & 0xff;
}

function sextet(byte: number): number {
  if (byte >= 0x41 && byte <= 0x5a) return byte - 0x41;
  if (byte >= 0x61 && byte <= 0x7a) return byte - 0x61 + 26;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30 + 52;
  // Also in the alphabet for URLs.
  return byte === 0x2b || byte === 0x2d ? 62 : byte === 0x2f || byte === 0x5f ? 63 : -1;
}

/** Opens a constant in an encoding. Returns undefined if it cannot be decoded. */
function decoded(instruction: Instruction, encoding: NestedEncoding): PickleWindow | undefined {
  const { window, from, length } = instruction;
  if (encoding === "raw") return new PickleWindow(rawSource(instruction));
  const bytes = window.bytes(from, Math.min(length, MAX_ENCODED_BYTES));
  const content = encoding === "escaped"
    ? latin1Bytes(instruction, bytes)
    : encoding === "hex"
    ? hexBytes(bytes)
    : base64Bytes(bytes);
  return content === undefined ? undefined : new PickleWindow(memorySource(content));
}

function rawSource({ window, from, length }: Instruction): ByteSource {
  return length <= MAX_SMALL_BYTES
    ? memorySource(window.bytes(from, length))
    : sourceSlice(window.source, from, length);
}

/** Encodes a string as Latin-1, in which Python 2 kept bytes. */
function latin1Bytes({ opcode }: Instruction, bytes: Uint8Array): Uint8Array | undefined {
  const codec = opcode.name === "UNICODE"
    ? "unicode_escape"
    : opcode.name === "STRING"
    ? "string_escape"
    : "utf8";
  const text = decodeText(bytes, codec);
  // Characters outside of Latin-1 are not bytes: what a loader makes of those before them counts.
  const end = text.search(/[^\0-\xff]/);
  const encodable = end < 0 ? text : text.slice(0, end);
  return encodable === ""
    ? undefined
    : Uint8Array.from(encodable, (character) => character.charCodeAt(0));
}

function hexBytes(text: Uint8Array): Uint8Array | undefined {
  try {
    const digits = decodeText(text, "latin1").replaceAll(/\s/g, "");
    return Uint8Array.fromHex(digits.slice(0, digits.length & ~1));
  } catch {
    return undefined;
  }
}

function base64Bytes(text: Uint8Array): Uint8Array | undefined {
  try {
    const standard = decodeText(text, "latin1").replaceAll("-", "+").replaceAll("_", "/");
    const whole = trimEnd(standard, /[\s=]/);
    return Uint8Array.fromBase64(whole, { lastChunkHandling: "loose" });
  } catch {
    return undefined;
  }
}

/** Whether the constant may import something. A pickle that imports nothing is harmless. */
function mayImport({ window, from, length }: Instruction): boolean {
  if (length > MAX_SMALL_BYTES || window.byte(from) === PROTO) return true;
  const bytes = window.bytes(from, length);
  if (bytes.includes(LINE_FEED)) return true;
  return bytes.some((byte) => byte === STACK_GLOBAL || (byte >= EXT1 && byte <= EXT4));
}
