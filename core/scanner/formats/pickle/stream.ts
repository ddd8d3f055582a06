import { KIB } from "../../../../schemas/units.ts";
import { pathEscape } from "../../knowledge/file_reference.ts";
import { EFFECT_BY_BYTE } from "./effects.ts";
import { escapedExcerpt, Findings } from "./findings.ts";
import { arrayFileOf, type RawArray, rawArrayOf } from "./joblib_arrays.ts";
import { Machine, type MachineOptions } from "./machine.ts";
import { type Fault, Instruction } from "./parser.ts";
import { type PickleValue, PLAIN, type TextOf, UNKNOWN } from "./values.ts";
import type { PickleWindow } from "./window.ts";

/** Work that may still be done, shared by everything that is done for one file. */
export interface Budget {
  left: number;
}

/** Input of a walk through one stream. */
export interface Walk {
  readonly findings: Findings;
  /** Instructions that may be executed. */
  readonly opcodes: Budget;
  /** Instructions that may be read from the data of arrays. */
  readonly arrayOpcodes: Budget;
  /** Whether an earlier stream may have filled the memo. */
  readonly inheritsMemo?: boolean;
  /** Longest `line` or `quoted` argument that is read, in bytes. */
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

/** Instructions that are read from the data of one array. */
const MAX_ARRAY_OPCODES = 5000;

const MAX_ARRAY_LINE_BYTES = 64 * KIB;

/** Levels of pickles within arrays within pickles. */
const MAX_ARRAY_DEPTH = 4;

/** Walks a stream from its first instruction to STOP, or as far as it can be read. */
export function walkStream(window: PickleWindow, start: number, walk: Walk): StreamEnd {
  const options = walk.inheritsMemo ? { earlierMemo: new Map<number, PickleValue>() } : {};
  return new StreamWalk(window, start, walk, options).run(MAX_ARRAY_DEPTH);
}

const SPLIT_INSTRUCTION = {
  name: "Pickle Structure",
  severity: "critical",
  ruleCode: "S902",
  message: "A frame ends within an instruction",
  why: "Loaders read different instructions from here on, so what was scanned may not be what runs",
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
    this.#machine = new Machine(window, walk.findings, start, options);
    this.#instruction = new Instruction(window, walk.lineLimit);
  }

  run(arrayDepth: number): StreamEnd {
    const instruction = this.#instruction;
    let at = this.#machine.start;
    for (;;) {
      if (this.#walk.opcodes.left-- <= 0) return this.#ended("limit", at);
      const fault = instruction.read(at) ?? this.#step();
      if (fault !== undefined) return this.#ended(fault, at);
      if (instruction.opcode.name === "STOP") return this.#stopped();
      at = instruction.end;
      if (instruction.opcode.name === "BUILD") {
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
    if (instruction.length >= 8) this.#walk.onConstant?.(instruction);
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
    if (array === "unknown" || depth === 0) return -1;
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
      lineLimit: MAX_ARRAY_LINE_BYTES,
    };
    const options = { earlierMemo: this.#machine.memo, unknownStack: true };
    new StreamWalk(this.#window, at, walk, options).run(0);
    arrayOpcodes.left += Math.max(0, opcodes.left);
    this.#walk.findings.mergeDenied(findings);
  }
}

/**
 * Follows the frames of protocol 4. The C unpickler reads a frame at once and ignores its end; the
 * Python unpickler does not read across it. A stream on which they differ is made to be read in two
 * ways.
 */
class Frames {
  /** End of the open frame, or -1 if none is open. */
  #end = -1;
  fault: string | undefined;

  /**
   * Advances past an instruction.
   *
   * @returns whether the instruction crosses the end of a frame. The C unpickler, when it reads from a
   * file, then drops the bytes of the argument within the frame and takes others from after it.
   */
  advance({ opcode, at, end, number }: Instruction): boolean {
    if (this.#end >= 0 && at >= this.#end) this.#end = -1;
    const split = this.#end >= 0 && end > this.#end;
    return opcode.name === "FRAME" ? this.#open(end, end + Number(number)) || split : split;
  }

  #open(from: number, end: number): boolean {
    const within = this.#end > from;
    if (within) this.fault = "A frame begins inside another frame";
    const split = within && end > this.#end;
    this.#end = end;
    return split;
  }

  /**
   * Returns the end of the frame that was open at STOP if it extends past it: there some loaders
   * continue with the next pickle.
   */
  endPast(stop: number): number | undefined {
    if (this.#end <= stop) return undefined;
    this.fault = "A frame extends past the end of its pickle";
    return this.#end;
  }
}
