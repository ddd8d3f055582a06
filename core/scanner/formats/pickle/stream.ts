import { leadsOut } from "../../knowledge/file_reference.ts";
import { arrayFileOf, type RawArray, rawArrayOf } from "./array_wrapper.ts";
import { EFFECT_BY_BYTE } from "./effects.ts";
import { Findings } from "./findings.ts";
import { Frames } from "./frames.ts";
import { Machine } from "./machine.ts";
import { type Fault, Instruction } from "./parser.ts";
import { shown } from "./text.ts";
import { type PickleValue, PLAIN, UNKNOWN_VALUE } from "./values.ts";
import type { PickleWindow } from "./window.ts";

/** How much may still be done; shared by all that is done for one file. */
export interface Allowance {
  left: number;
}

/** What a walk through a stream is given. */
export interface Walk {
  readonly findings: Findings;
  readonly opcodes: Allowance;
  /** For looking at the bytes of arrays as though they were instructions. */
  readonly guesses: Allowance;
  /** Whether the memo may have been filled by the stream before. */
  readonly follows?: boolean;
  /** The longest line that is read. */
  readonly lineLimit?: number;
  /** Is told of each instruction that pushes bytes or text. */
  onConstant?(instruction: Instruction): void;
}

/** How a stream ended. */
export interface StreamEnd {
  readonly outcome: "stop" | "limit" | Fault;
  /** Behind STOP, or where the instruction begins that could not be carried out. */
  readonly end: number;
  /** Where its last frame ends, where that is behind STOP. */
  readonly frameEnd?: number | undefined;
  readonly result: PickleValue;
  readonly opcodes: number;
  readonly machine: Machine;
}

/** Instructions that are read out of the bytes of one array. */
const GUESSED_OPCODES = 5000;

const GUESSED_LINE = 64 * 1024;

/** Pickles within arrays within pickles. */
const MAX_ARRAY_DEPTH = 4;

/** Walks a stream from its first instruction to STOP, or as far as it can be followed. */
export function walkStream(window: PickleWindow, start: number, walk: Walk): StreamEnd {
  return new StreamWalk(
    window,
    walk,
    new Machine(window, walk.findings, start, {
      ...(walk.follows && { earlier: new Map<number, PickleValue>() }),
    }),
  ).run(start, MAX_ARRAY_DEPTH);
}

const TORN = {
  name: "Pickle Structure",
  severity: "critical",
  ruleCode: "S902",
  message: "A frame ends within an instruction",
  why:
    "Loaders read different instructions from there on, so that what is seen may not be what runs",
} as const;

class StreamWalk {
  readonly #window: PickleWindow;
  readonly #walk: Walk;
  readonly #machine: Machine;
  readonly #frames = new Frames();
  readonly #instruction: Instruction;
  #opcodes = 0;

  constructor(window: PickleWindow, walk: Walk, machine: Machine) {
    this.#window = window;
    this.#walk = walk;
    this.#machine = machine;
    this.#instruction = new Instruction(window, walk.lineLimit);
  }

  run(start: number, arrayDepth: number): StreamEnd {
    const instruction = this.#instruction;
    let at = start;
    for (;;) {
      if (this.#walk.opcodes.left-- <= 0) return this.#ended("limit", at);
      const fault = instruction.read(at) ?? this.#step();
      if (fault !== undefined) return this.#ended(fault, at);
      if (instruction.opcode.name === "STOP") return this.#stopped();
      at = instruction.end;
      if (instruction.opcode.name === "BUILD") {
        this.#judgeArrayFile();
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
    if (this.#frames.pass(instruction)) machine.signal(TORN);
    EFFECT_BY_BYTE[instruction.opcode.byte]?.(machine, instruction);
    this.#opcodes++;
    if (instruction.length >= 8) this.#walk.onConstant?.(instruction);
    return machine.fault;
  }

  #ended(outcome: StreamEnd["outcome"], end: number): StreamEnd {
    const machine = this.#machine;
    return { outcome, end, result: UNKNOWN_VALUE, opcodes: this.#opcodes, machine };
  }

  #stopped(): StreamEnd {
    const { end } = this.#instruction;
    const machine = this.#machine;
    const result = machine.pop();
    if (machine.fault !== undefined) return this.#ended(machine.fault, end - 1);
    const frameEnd = this.#frames.leftOver(end);
    const { fault } = this.#frames;
    if (fault !== undefined) {
      machine.signal({
        name: "Pickle Structure",
        severity: "warning",
        ruleCode: "S902",
        message: fault,
        why: "Unpicklers differ in what they make of it, so that some load what others refuse",
      });
    }
    return { outcome: "stop", end, frameEnd, result, opcodes: this.#opcodes, machine };
  }

  #judgeArrayFile(): void {
    const machine = this.#machine;
    const file = arrayFileOf(machine.top(), machine.textOf);
    if (file === undefined) return;
    const danger = file === "" ? "a file whose name is hidden" : leadsOut(file);
    if (danger === undefined) return;
    machine.signal({
      name: "Pickle Structure",
      severity: "critical",
      ruleCode: "S405",
      message: `An array is loaded from ${danger}: "${shown(file)}"`,
      why: "joblib loads the file, as a pickle where it is one, wherever it lies",
    });
  }

  /** Where the stream goes on behind the bytes of an array; -1 where that cannot be told. */
  #skipArray(at: number, depth: number): number {
    const array = rawArrayOf(this.#machine.top(), this.#machine.textOf);
    if (array === undefined) return at;
    this.#guess(at);
    if (array === "unknown" || depth === 0) return -1;
    this.#machine.replaceTop(PLAIN);
    return array.pickled ? this.#skipPickled(at, depth) : this.#skipRaw(at, array);
  }

  #skipRaw(at: number, { padded, bytes }: RawArray): number {
    const padding = padded ? 1 + Math.max(0, this.#window.byte(at)) : 0;
    return Math.min(at + padding + bytes, this.#window.size);
  }

  #skipPickled(at: number, depth: number): number {
    const machine = new Machine(this.#window, this.#walk.findings, at);
    const inner = new StreamWalk(this.#window, this.#walk, machine).run(at, depth - 1);
    this.#opcodes += inner.opcodes;
    return inner.outcome === "stop" ? inner.end : -1;
  }

  /**
   * A loader that is not joblib's takes the bytes of the array for instructions. What they import is
   * told only where it is dangerous: bytes of weights look like anything.
   */
  #guess(at: number): void {
    const { guesses } = this.#walk;
    if (guesses.left <= 0) return;
    const opcodes = { left: Math.min(GUESSED_OPCODES, guesses.left) };
    guesses.left -= opcodes.left;
    const findings = new Findings();
    const machine = new Machine(this.#window, findings, at, {
      earlier: this.#machine.memo,
      anyStack: true,
    });
    const walk = { findings, opcodes, guesses: { left: 0 }, lineLimit: GUESSED_LINE };
    new StreamWalk(this.#window, walk, machine).run(at, 0);
    guesses.left += Math.max(0, opcodes.left);
    this.#walk.findings.absorbDenied(findings);
  }
}
