import { decodeLatin1 } from "../../readers/bytes/bytes.ts";
import { type Argument, type Opcode, OPCODE_BY_BYTE } from "./opcodes.ts";
import { parseFloatText, parseIndexText, parseIntegerText } from "./literals.ts";
import type { PickleWindow } from "./window.ts";
import { KIB, MIB } from "../../../../schemas/units.ts";

/** Why a stream cannot be read further. */
export type Fault =
  | "truncated"
  | "unknown_opcode"
  | "malformed_argument"
  | "argument_too_long"
  | "stack_underflow"
  | "missing_memo"
  | "malformed_array";

/** Longest module or name that is read. The loader has no such limit. */
const MAX_NAME_BYTES = 64 * KIB;

/** Longest line of any other kind, unless the reader is told otherwise. */
export const MAX_LINE_BYTES = 16 * MIB;

/** Digits that are read of a number. Those after them change its value, which is large anyway. */
const MAX_DIGITS = 8192;

const INITIAL_OPCODE: Opcode = { byte: 0x2e, name: "STOP", argument: "none" };

const SINGLE_QUOTE = 0x27;
const DOUBLE_QUOTE = 0x22;

const strictUtf8 = new TextDecoder("utf-8", { fatal: true });

function isBlank(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

/**
 * Reads instructions one at a time. Accepts what either of CPython's unpicklers, in C or in Python,
 * accepts. The fields describe the instruction that was read last; one object serves a whole stream,
 * because a stream may have millions of instructions.
 */
export class Instruction {
  readonly window: PickleWindow;
  readonly #lineLimit: number;
  opcode: Opcode = INITIAL_OPCODE;
  at = 0;
  /** Offset of the next instruction. */
  end = 0;
  /** Offset and length of the argument's bytes or text, without its length prefix or quotes. */
  from = 0;
  length = 0;
  /** A numeric argument; 0 for a float. */
  number: number | bigint = 0;
  /** The two lines of GLOBAL and INST. */
  module = "";
  name = "";

  /** @param lineLimit Longest line that is read, in bytes, but for the names of imports. */
  constructor(window: PickleWindow, lineLimit = MAX_LINE_BYTES) {
    this.window = window;
    this.#lineLimit = lineLimit;
  }

  /** Reads the instruction at an offset. Returns why it cannot be read, or undefined on success. */
  read(at: number): Fault | undefined {
    const byte = this.window.byte(at);
    if (byte < 0) return "truncated";
    const opcode = OPCODE_BY_BYTE[byte];
    if (opcode === undefined) return "unknown_opcode";
    this.opcode = opcode;
    this.at = at;
    this.from = this.end = at + 1;
    this.length = 0;
    return opcode.argument === "none" ? undefined : this.#argument(opcode.argument);
  }

  #argument(argument: Argument): Fault | undefined {
    switch (argument) {
      case "none":
        return undefined;
      case "u8":
        return this.#unsigned(1);
      case "u16":
        return this.#unsigned(2);
      case "u32":
        return this.#unsigned(4);
      case "u64":
        return this.#unsigned(8);
      case "i32":
        return this.#signed4();
      case "fixed8":
        return this.#fixed(8);
      case "counted1":
        return this.#unsigned(1) ?? this.#counted();
      case "counted4":
        return this.#unsigned(4) ?? this.#counted();
      case "counted8":
        return this.#unsigned(8) ?? this.#counted();
      case "signed4":
        return this.#signed4() ?? this.#counted();
      case "names":
        return this.#names();
      case "line":
      case "quoted":
      case "int":
      case "long":
      case "float":
      case "index":
        return this.#text(argument);
      default:
        return argument satisfies never;
    }
  }

  #fixed(bytes: number): Fault | undefined {
    this.from = this.end;
    this.length = bytes;
    this.number = 0;
    this.end += bytes;
    return this.end > this.window.size ? "truncated" : undefined;
  }

  #unsigned(bytes: number): Fault | undefined {
    const fault = this.#fixed(bytes);
    if (fault === undefined) this.number = this.window.unsigned(this.from, bytes);
    return fault;
  }

  #signed4(): Fault | undefined {
    const fault = this.#unsigned(4);
    this.number = Number(this.number) | 0;
    return fault;
  }

  #counted(): Fault | undefined {
    const count = Number(this.number);
    if (count < 0) return "malformed_argument";
    if (count > this.window.size - this.end) return "truncated";
    return this.#fixed(count);
  }

  #line(limit: number): Fault | undefined {
    this.from = this.end;
    const stop = this.window.lineEnd(this.from, limit);
    if (stop < 0) {
      return this.window.size - this.from > limit ? "argument_too_long" : "truncated";
    }
    this.length = stop - this.from;
    this.end = stop + 1;
    return undefined;
  }

  #text(argument: "line" | "quoted" | "int" | "long" | "float" | "index"): Fault | undefined {
    const fault = this.#line(this.#lineLimit);
    if (fault !== undefined || argument === "line") return fault;
    if (argument === "quoted") return this.#unquote();
    if (argument === "index" && this.#digits()) return undefined;
    const text = this.#ascii();
    const number = argument === "float"
      ? parseFloatText(text)
      : argument === "index"
      ? parseIndexText(text)
      : parseIntegerText(argument === "long" ? text.replace(/L$/, "") : text);
    if (number === undefined) return "malformed_argument";
    this.number = number;
    return undefined;
  }

  /** Reads an index in its usual form without building a string, which is much faster. */
  #digits(): boolean {
    if (this.length === 0 || this.length > 9) return false;
    let number = 0;
    for (let i = 0; i < this.length; i++) {
      const digit = this.window.byte(this.from + i) - 0x30;
      if (digit < 0 || digit > 9) return false;
      number = number * 10 + digit;
    }
    this.number = number;
    return true;
  }

  #unquote(): Fault | undefined {
    const quote = this.window.byte(this.from);
    const last = this.window.bytes(this.from + this.length - 1, 1)[0];
    if (this.length < 2 || quote !== last || (quote !== SINGLE_QUOTE && quote !== DOUBLE_QUOTE)) {
      return "malformed_argument";
    }
    this.from++;
    this.length -= 2;
    return undefined;
  }

  /** The text of a number. Python accepts any number of blanks before it. */
  #ascii(): string {
    let blanks = 0;
    while (blanks < this.length && isBlank(this.window.byte(this.from + blanks))) blanks++;
    const digits = Math.min(this.length - blanks, MAX_DIGITS);
    return decodeLatin1(this.window.bytes(this.from + blanks, digits));
  }

  #names(): Fault | undefined {
    const fault = this.#nameLine();
    if (fault !== undefined || this.length === 0) return fault ?? "malformed_argument";
    const module = this.#utf8();
    const second = this.#nameLine();
    if (second !== undefined) return second;
    const name = this.#utf8();
    if (module === undefined || name === undefined) return "malformed_argument";
    this.module = module;
    this.name = name;
    return undefined;
  }

  /**
   * Reads a line. At the end of the data, the Python unpickler drops the last byte, whatever it is,
   * and continues.
   */
  #nameLine(): Fault | undefined {
    const fault = this.#line(MAX_NAME_BYTES);
    if (fault !== "truncated" || this.window.isCut) return fault;
    this.length = Math.max(0, this.window.size - this.from - 1);
    this.end = this.window.size;
    return undefined;
  }

  #utf8(): string | undefined {
    try {
      return strictUtf8.decode(this.window.bytes(this.from, this.length));
    } catch {
      return undefined;
    }
  }
}
