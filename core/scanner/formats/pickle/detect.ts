import { KIB, MIB } from "../../../../schemas/units.ts";
import type { ByteSource } from "../../contract/source.ts";
import { Findings } from "./findings.ts";
import { MAX_PROTOCOL, type OpcodeName, PROTO } from "./opcodes.ts";
import { Instruction } from "./parser.ts";
import { type StreamEnd, walkStream } from "./stream.ts";
import { PickleWindow } from "./window.ts";

/** Instructions, and consecutive streams, whose values are followed to detect a pickle. */
const MAX_OPCODES = 20_000;
const MAX_STREAMS = 8;

const MAX_LINE_BYTES = 64 * KIB;

/** Memory for the values of these few instructions. */
const MAX_VALUE_BYTES = 16 * MIB;

/** Valid instructions in a row that are no longer a coincidence. */
const MIN_EVIDENT_OPCODES = 7;

const FRAME = 0x95;

/** Frames of this length or longer are implausible. */
const MAX_FRAME_BYTES = 2 ** 40;

/** Names that a module can have, unlike most lines of text. */
const MODULE_NAME = /^[A-Za-z_][\w.]*$/;

/**
 * Whether content is a pickle, judged by its instructions: it declares a protocol and continues with
 * valid instructions, or it ends with STOP at the end of the content, or it imports and calls. Text
 * and weights do not match. If the beginning does not decide, reads on to the
 * first instruction that does, or to the end of the content (C 16).
 */
export function looksLikePickle(source: ByteSource): boolean {
  const window = new PickleWindow(source);
  const opcodes = { left: MAX_OPCODES };
  let at = 0;
  for (let stream = 0; at < source.size; stream++) {
    if (stream === MAX_STREAMS) return continuesAsPickle(window, at);
    const findings = new Findings();
    const declared = window.byte(at) === PROTO;
    const isKnown = declared && window.byte(at + 1) <= MAX_PROTOCOL;
    const walk = {
      ...detection(),
      findings,
      // So many decide, and all of it is read later.
      opcodes: isKnown ? { left: Math.min(opcodes.left, MIN_EVIDENT_OPCODES) } : opcodes,
      inheritsMemo: stream > 0,
    };
    const end = walkStream(window, at, walk);
    if (declared ? isDeclared(window, at, end, findings) : isEvident(end, findings, source.size)) {
      return true;
    }
    if (end.outcome === "limit" || end.outcome === "argument_too_long") {
      return continuesAsPickle(window, end.end);
    }
    if (end.outcome !== "stop") return false;
    // A frame that goes on past STOP hides from where loaders read the next stream.
    if (end.frameEnd !== undefined && end.frameEnd < source.size) return true;
    at = end.end;
  }
  return false;
}

/** Instructions that import, begin a declared pickle, or both. Text has no such bytes. */
const EVIDENT: ReadonlySet<OpcodeName> = new Set<OpcodeName>([
  "STACK_GLOBAL",
  "EXT1",
  "EXT2",
  "EXT4",
  "PROTO",
]);

/** Whether nothing but instructions is in the beginning of content, so that it may be that of a pickle. */
export function mayBeginPickle(head: ByteSource): boolean {
  const instruction = new Instruction(new PickleWindow(head), Infinity);
  for (let at = 0; at < head.size; at = instruction.end) {
    const fault = instruction.read(at);
    if (fault !== undefined) return fault === "truncated";
  }
  return head.size > 0;
}

/**
 * Whether valid instructions continue to one that imports, or to STOP at the end of the content. Keeps
 * no values, so it takes little memory however long the content is.
 */
function continuesAsPickle(window: PickleWindow, from: number): boolean {
  const instruction = new Instruction(window, Infinity);
  for (let at = from; at < window.size; at = instruction.end) {
    if (instruction.read(at) !== undefined) return false;
    const { name } = instruction.opcode;
    if (EVIDENT.has(name)) return true;
    if (name === "STOP" && instruction.end === window.size) return true;
    const imports = name === "GLOBAL" || name === "INST";
    if (imports && MODULE_NAME.test(instruction.module)) return true;
  }
  return false;
}

function detection() {
  return {
    arrayOpcodes: { left: 0 },
    memory: { left: MAX_VALUE_BYTES },
    lineLimit: MAX_LINE_BYTES,
  };
}

/** Shortest pickle that imports something. */
const MIN_IMPORT_BYTES = 3;

/**
 * Whether a value that is stored among others, such as an attribute, is a pickle that does more than
 * build plain values.
 */
export function isActivePickle(source: ByteSource): boolean {
  if (source.size < MIN_IMPORT_BYTES || !looksLikePickle(source)) return false;
  const findings = new Findings();
  const walk = { ...detection(), findings, opcodes: { left: MAX_OPCODES } };
  const end = walkStream(new PickleWindow(source), 0, walk);
  return end.outcome !== "stop" || end.end < source.size || findings.imports.size > 0 ||
    findings.signals.size > 0;
}

/** Whether a stream that begins with PROTO continues as a pickle. */
function isDeclared(window: PickleWindow, at: number, end: StreamEnd, findings: Findings): boolean {
  if (window.byte(at + 1) > MAX_PROTOCOL) return false;
  if (end.opcodes >= MIN_EVIDENT_OPCODES || end.outcome === "limit" || namesModule(findings)) {
    return true;
  }
  if (window.byte(at + 2) === FRAME && window.unsigned(at + 3, 8) < MAX_FRAME_BYTES) return true;
  return end.outcome === "stop" && (end.end === window.size || window.byte(end.end) === PROTO);
}

/** Whether a stream without PROTO is a pickle. */
function isEvident(end: StreamEnd, findings: Findings, size: number): boolean {
  if (end.machine.calls > 0 && importsPlausibly(findings)) return true;
  if (end.outcome === "stop") {
    return end.end === size || importsPlausibly(findings);
  }
  return end.outcome === "limit" && (end.machine.memo.size > 0 || importsPlausibly(findings));
}

/** Whether it imports a plausible module name, or in a way that text never does. */
export function importsPlausibly(findings: Findings): boolean {
  return namesModule(findings) ||
    findings.signals.values().some(({ signal }) => signal.name === "Pickle Import");
}

/** Whether it imports from a module that can have its name. */
export function namesModule(findings: Findings): boolean {
  return findings.imports.values().some(({ module }) => MODULE_NAME.test(module));
}
