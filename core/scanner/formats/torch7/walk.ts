import type { Checklist } from "../../contract/checklist.ts";
import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import type { ByteSource } from "../../contract/source.ts";
import { decodeLatin1 } from "../../readers/bytes/bytes.ts";
import { NumberCursor } from "../../readers/bytes/number_cursor.ts";
import { MalformedError } from "../../readers/malformed.ts";
import { checkModelText } from "../model/text.ts";

export const FUNCTIONS = "Torch7 Functions";
export const CLASSES = "Torch7 Classes";
export const TEXT = "Torch7 Text";

const MAX_OBJECTS = 2_000_000;
const MAX_DEPTH = 250;
const MAX_TEXT_BYTES = 64 * 1024;
const MAX_CLASS_BYTES = 256;
const MAX_DIMENSIONS = 64;

/** Types of objects, by their number in the file. */
const NIL = 0;
const NUMBER = 1;
const STRING = 2;
const TABLE = 3;
const TORCH = 4;
const BOOLEAN = 5;
const FUNCTION = 6;
const LEGACY_FUNCTION = 7;
const RECURSIVE_FUNCTION = 8;

/** Element types and bytes by the name of a tensor or storage, without that suffix. */
const ELEMENTS: ReadonlyMap<string, readonly [type: string, bytes: number]> = new Map([
  ["Byte", ["uint8", 1]],
  ["Char", ["int8", 1]],
  ["Short", ["int16", 2]],
  ["Int", ["int32", 4]],
  ["Long", ["int64", 8]],
  ["Half", ["float16", 2]],
  ["Float", ["float32", 4]],
  ["Double", ["float64", 8]],
  ["Cuda", ["float32", 4]],
  ["CudaHalf", ["float16", 2]],
  ["CudaDouble", ["float64", 8]],
  ["CudaByte", ["uint8", 1]],
  ["CudaChar", ["int8", 1]],
  ["CudaShort", ["int16", 2]],
  ["CudaInt", ["int32", 4]],
  ["CudaLong", ["int64", 8]],
]);

const ARRAY_CLASS = /^torch\.(\w{1,20})(Tensor|Storage)$/;
const KNOWN_CLASS = /^(?:torch|nn|nngraph|cudnn|cunn|graph|rnn|dpnn|optim|image|inn|stn)\./;

/** Walks an object in Torch7's binary format on a 64-bit system. Data of storages is skipped. */
export class ObjectWalk {
  modules = 0;
  /** Elements of storages by their type. */
  readonly storages = new Map<string, number>();
  readonly #cursor: NumberCursor;
  readonly #checks: Checklist;
  /** Indexes of the objects that were read. */
  readonly #seen = new Set<number>();
  #objects = 0;
  #depth = 0;

  constructor(source: ByteSource, checks: Checklist) {
    this.#cursor = new NumberCursor(source);
    this.#checks = checks;
  }

  /** Where the object ends. */
  get end(): number {
    return this.#cursor.position;
  }

  /** @throws {MalformedError} when the object is cut off, malformed or exceeds a limit. */
  run(): void {
    if (++this.#objects > MAX_OBJECTS) throw limit("object_limit", "too many objects to read");
    if (++this.#depth > MAX_DEPTH) throw limit("nesting_limit", "objects nested too deeply");
    this.#object(this.#cursor.i32());
    this.#depth--;
  }

  #object(type: number): void {
    switch (type) {
      case NIL:
        return;
      case NUMBER:
        return this.#cursor.skip(8);
      case BOOLEAN:
        return this.#cursor.skip(4);
      case STRING:
        return this.#string();
      case FUNCTION:
        return this.#function();
    }
    if (![TABLE, TORCH, LEGACY_FUNCTION, RECURSIVE_FUNCTION].includes(type)) {
      const message = `Unknown type ${type} at ${this.#cursor.position - 4}`;
      throw new MalformedError("malformed_torch7", message);
    }
    const index = this.#cursor.i32();
    if (this.#seen.has(index)) return;
    this.#seen.add(index);
    if (type === TABLE) this.#table();
    else if (type === TORCH) this.#torchObject();
    else this.#function();
  }

  #table(): void {
    const pairs = this.#cursor.i32();
    for (let left = pairs * 2; left > 0; left--) this.run();
  }

  #string(): void {
    const start = this.#cursor.position;
    const text = this.#cursor.text(this.#cursor.i32(), MAX_TEXT_BYTES);
    checkModelText(TEXT, "A text", text, this.#checks, start);
  }

  /** A function: its code, and the values that it uses. */
  #function(): void {
    const position = this.#cursor.position;
    const head = this.#cursor.bytes(this.#cursor.i32(), 3);
    const isBytecode = decodeLatin1(head).startsWith("\x1bL");
    this.#checks.add(FUNCTIONS, {
      severity: "critical",
      message: `The file contains a function ${isBytecode ? "as Lua bytecode" : "in Lua"}`,
      position,
      ruleCode: "S810",
      why: "Loading the file hands the code to Lua, which does not verify bytecode",
    });
    this.run();
  }

  #torchObject(): void {
    const position = this.#cursor.position;
    const version = this.#className();
    // Before version 1, the class comes without a version.
    const name = /^V \d+$/.test(version) ? this.#className() : version;
    const [, element = "", kind] = ARRAY_CLASS.exec(name) ?? [];
    const type = ELEMENTS.get(element);
    if (kind === "Tensor" && type !== undefined) return this.#tensor();
    if (kind === "Storage" && type !== undefined) return this.#storage(...type);
    this.modules++;
    if (!KNOWN_CLASS.test(name)) {
      this.#checks.add(CLASSES, {
        severity: "info",
        message: `Class ${quotedExcerpt(name)} needs code that is not in the file`,
        position,
        ruleCode: "S810",
        details: { class: excerpt(name) },
      });
    }
    this.run();
  }

  #className(): string {
    return this.#cursor.text(this.#cursor.i32(), MAX_CLASS_BYTES);
  }

  /** Sizes, strides and an offset, then the storage. */
  #tensor(): void {
    const dimensions = this.#cursor.i32();
    if (dimensions < 0 || dimensions > MAX_DIMENSIONS) {
      throw new MalformedError("malformed_torch7", `A tensor has ${dimensions} dimensions`);
    }
    this.#cursor.skip((dimensions * 2 + 1) * 8);
    this.run();
  }

  #storage(type: string, bytes: number): void {
    const elements = this.#cursor.i64();
    this.#cursor.skip(elements * bytes);
    this.storages.set(type, (this.storages.get(type) ?? 0) + elements);
  }
}

function limit(reason: string, problem: string): MalformedError {
  return new MalformedError(reason, `The file has ${problem}`, true);
}
