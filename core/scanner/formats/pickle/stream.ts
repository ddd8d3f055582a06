import { KIB, MIB } from "../../../../schemas/units.ts";
import type { ByteSource } from "../../contract/source.ts";
import { pathEscape } from "../../knowledge/file_reference.ts";
import { EFFECT_BY_BYTE } from "./effects.ts";
import { escapedExcerpt, Findings } from "./findings.ts";
import { arrayFileOf, type RawArray, rawArrayOf } from "./joblib_arrays.ts";
import { Frames } from "./frames.ts";
import type { Budget } from "./budget.ts";
import { Machine, type MachineOptions } from "./machine.ts";
import type { Memo } from "./memo.ts";
import { type Fault, Instruction } from "./parser.ts";
import { type PickleValue, PLAIN, type TextOf, UNKNOWN } from "./values.ts";
import { PickleWindow } from "./window.ts";

/** Input of a walk through one stream. */
export interface Walk {
  readonly findings: Findings;
  /** Instructions that may be executed. */
  readonly opcodes: Budget;
  /** Instructions that may be read from the data of arrays. */
  readonly arrayOpcodes: Budget;
  /** Bytes of memory that values may take. Walks that run at the same time share it. */
  readonly memory: Budget;
  /** Whether an earlier stream may have filled the memo. */
  readonly inheritsMemo?: boolean;
  /** Longest line that is read, in bytes, but for the names of imports. */
  readonly lineLimit?: number;
  /** Receives each instruction that pushes bytes or text. */
  onConstant?(instruction: Instruction): void;
  /** Receives each object whose state was just set. */
  onObject?(object: PickleValue, textOf: TextOf): void;
}

/** How and where a stream ended. */
export interface StreamEnd {
  readonly outcome: "stop" | "limit" | Fault;
  /** Offset after STOP, or of the instruction that failed. */
  readonly end: number;
  /** End of the last frame, if it extends past STOP. */
  readonly frameEnd?: number | undefined;
  readonly result: PickleValue;
  readonly opcodes: number;
  readonly machine: Machine;
}

/** Shorter constants are not reported: they hold no pickle, and name no credential. */
const MIN_CONSTANT_BYTES = 3;

/** Instructions that are read from the data of one array. */
const MAX_ARRAY_OPCODES = 5000;

const MAX_ARRAY_LINE_BYTES = 64 * KIB;

/** Levels of pickles within arrays within pickles. */
const MAX_ARRAY_DEPTH = 4;

/** Walks a stream from its first instruction to STOP, or as far as it can be read. */
export function walkStream(window: PickleWindow, start: number, walk: Walk): StreamEnd {
  const options = walk.inheritsMemo ? { earlierMemo: NO_MEMO } : {};
  return new StreamWalk(window, start, walk, options).run(MAX_ARRAY_DEPTH);
}

const NO_MEMO = { get: () => undefined };

const SPLIT_INSTRUCTION = {
  name: "Pickle Structure",
  severity: "critical",
  ruleCode: "S902",
  message: "A frame ends within an instruction",
  why: "Loaders read different instructions from here on, so what was scanned may not be what runs",
} as const;

const HIDDEN_ARRAY_END = {
  name: "Pickle Structure",
  severity: "warning",
  ruleCode: "S902",
  message: "An array is described so that the end of its data is not known",
  why: "joblib never writes such a description; instructions can be hidden in the data",
} as const;

class StreamWalk {
  readonly #window: PickleWindow;
  readonly #walk: Walk;
  readonly #machine: Machine;
  readonly #frames = new Frames();
  readonly #instruction: Instruction;
  #opcodes = 0;

  constructor(window: PickleWindow, start: number, walk: Walk, options: MachineOptions = {}) {
    this.#window = window;
    this.#walk = walk;
    this.#machine = new Machine(window, walk.findings, start, walk.memory, options);
    this.#instruction = new Instruction(window, walk.lineLimit);
  }

  run(arrayDepth: number): StreamEnd {
    try {
      return this.#run(arrayDepth);
    } finally {
      this.#machine.release();
    }
  }

  #run(arrayDepth: number): StreamEnd {
    const instruction = this.#instruction;
    let at = this.#machine.start;
    for (;;) {
      if (this.#walk.opcodes.left-- <= 0 || this.#machine.isFull) return this.#ended("limit", at);
      const fault = instruction.read(at) ?? this.#step();
      if (fault !== undefined) return this.#ended(fault, at);
      if (instruction.opcode.name === "STOP") return this.#stopped();
      at = instruction.end;
      if (instruction.opcode.name === "REDUCE") {
        this.#walk.onObject?.(this.#machine.top(), this.#machine.textOf);
      } else if (instruction.opcode.name === "BUILD") {
        this.#walk.onObject?.(this.#machine.top(), this.#machine.textOf);
        this.#checkArrayFile();
        const next = this.#skipArray(at, arrayDepth);
        if (next < 0) return this.#ended("malformed_array", at);
        at = next;
      }
    }
  }

  #step(): Fault | undefined {
    const machine = this.#machine;
    const instruction = this.#instruction;
    machine.at = instruction.at;
    machine.opcode = instruction.opcode.name;
    if (this.#frames.advance(instruction)) machine.signal(SPLIT_INSTRUCTION);
    EFFECT_BY_BYTE[instruction.opcode.byte]?.(machine, instruction);
    this.#opcodes++;
    if (instruction.length >= MIN_CONSTANT_BYTES) this.#walk.onConstant?.(instruction);
    return machine.fault;
  }

  #ended(outcome: StreamEnd["outcome"], end: number): StreamEnd {
    const machine = this.#machine;
    return { outcome, end, result: UNKNOWN, opcodes: this.#opcodes, machine };
  }

  #stopped(): StreamEnd {
    const { end } = this.#instruction;
    const machine = this.#machine;
    const result = machine.pop();
    if (machine.fault !== undefined) return this.#ended(machine.fault, end - 1);
    const frameEnd = this.#frames.endPast(end);
    const { fault } = this.#frames;
    if (fault !== undefined) {
      machine.signal({
        name: "Pickle Structure",
        severity: "warning",
        ruleCode: "S902",
        message: fault,
        why: "Unpicklers disagree on such frames: some load what others reject",
      });
    }
    return { outcome: "stop", end, frameEnd, result, opcodes: this.#opcodes, machine };
  }

  #checkArrayFile(): void {
    const machine = this.#machine;
    const file = arrayFileOf(machine.top(), machine.textOf);
    if (file === undefined) return;
    const danger = file === "" ? "a file whose name is hidden" : pathEscape(file);
    if (danger === undefined) return;
    machine.signal({
      name: "Pickle Structure",
      severity: "critical",
      ruleCode: "S405",
      message: `An array is loaded from ${danger}: "${escapedExcerpt(file)}"`,
      why: "joblib loads the file wherever it is, and unpickles it if it is a pickle",
    });
  }

  /** Returns the offset after the data of an array, or -1 if it cannot be determined. */
  #skipArray(at: number, depth: number): number {
    const array = rawArrayOf(this.#machine.top(), this.#machine.textOf);
    if (array === undefined) return at;
    this.#scanArrayData(at);
    if (array === "hidden") this.#machine.signal(HIDDEN_ARRAY_END);
    if (array === "unknown" || array === "hidden" || depth === 0) {
      mergeScatteredImports(this.#window, at, this.#walk, this.#machine.memo);
      return -1;
    }
    this.#machine.replaceTop(PLAIN);
    return array.pickled ? this.#skipPickled(at, depth) : this.#skipRaw(at, array);
  }

  #skipRaw(at: number, { padded, bytes }: RawArray): number {
    const padding = padded ? 1 + Math.max(0, this.#window.byte(at)) : 0;
    return Math.min(at + padding + bytes, this.#window.size);
  }

  #skipPickled(at: number, depth: number): number {
    const inner = new StreamWalk(this.#window, at, this.#walk).run(depth - 1);
    this.#opcodes += inner.opcodes;
    return inner.outcome === "stop" ? inner.end : -1;
  }

  /**
   * Reads the data of an array as instructions, as loaders other than joblib do. Only critical imports
   * are reported: weights look like anything.
   */
  #scanArrayData(at: number): void {
    const { arrayOpcodes } = this.#walk;
    if (arrayOpcodes.left <= 0) return;
    const opcodes = { left: Math.min(MAX_ARRAY_OPCODES, arrayOpcodes.left) };
    arrayOpcodes.left -= opcodes.left;
    const findings = new Findings();
    const walk = {
      findings,
      opcodes,
      arrayOpcodes: { left: 0 },
      memory: this.#walk.memory,
      lineLimit: MAX_ARRAY_LINE_BYTES,
    };
    const options = { earlierMemo: this.#machine.memo, unknownStack: true };
    new StreamWalk(this.#window, at, walk, options).run(0);
    arrayOpcodes.left += Math.max(0, opcodes.left);
    this.#walk.findings.mergeDenied(findings);
  }
}

/** Bytes after a lost end that are searched for imports, how many of them at once, and for each. */
const MAX_SEARCHED_BYTES = 64 * MIB;
const SEARCHED_BYTES = 64 * KIB;
const MAX_IMPORT_BYTES = 2 * KIB;

/** Instructions that are read from one byte: two strings, which may be stored, and an import. */
const MAX_IMPORT_OPCODES = 6;

/** Opcodes with which an import can begin: GLOBAL, INST, those of strings, and reads from the memo. */
const IMPORT_STARTS: ReadonlySet<number> = new Set(
  Array.from("ciXUTVSghj\x8c\x8d", (opcode) => opcode.charCodeAt(0)),
);

const IDENTIFIERS = /^[A-Za-z_][\w.]*$/;

/**
 * Searches bytes of which it is not known where instructions begin for imports, at each byte, and adds
 * those that are critical.
 */
function mergeScatteredImports(
  { source }: PickleWindow,
  from: number,
  { findings, arrayOpcodes, memory }: Walk,
  earlierMemo: Memo,
): void {
  const stop = Math.min(source.size, from + MAX_SEARCHED_BYTES);
  for (let start = from; start < stop; start += SEARCHED_BYTES) {
    const block = source.read(start, SEARCHED_BYTES + MAX_IMPORT_BYTES);
    const end = Math.min(SEARCHED_BYTES, stop - start);
    for (let i = 0; i < end; i++) {
      if (!IMPORT_STARTS.has(block[i] ?? 0)) continue;
      if (arrayOpcodes.left <= 0) return;
      const found = new Findings();
      const opcodes = { left: MAX_IMPORT_OPCODES };
      const walk = { findings: found, opcodes, arrayOpcodes: { left: 0 }, memory, lineLimit: KIB };
      const window = new PickleWindow(blockSource(source, start, block, i));
      new StreamWalk(window, start + i, walk, { earlierMemo, unknownStack: true }).run(0);
      arrayOpcodes.left -= MAX_IMPORT_OPCODES - Math.max(0, opcodes.left);
      if (found.denied().every(({ module, name }) => IDENTIFIERS.test(`${module}.${name}`))) {
        findings.mergeDenied(found);
      }
    }
  }
}

/** The source as far as the bytes for one import from `first` in a block that was read at `start`. */
function blockSource(
  source: ByteSource,
  start: number,
  block: Uint8Array,
  first: number,
): ByteSource {
  const end = Math.min(block.length, first + MAX_IMPORT_BYTES);
  return {
    size: start + end,
    read: (offset, length) =>
      offset < start
        ? source.read(offset, length)
        : block.subarray(offset - start, Math.min(end, offset - start + length)),
  };
}
