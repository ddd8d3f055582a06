import type { Checklist } from "../../contract/checklist.ts";
import { quotedExcerpt } from "../../contract/excerpt.ts";
import type { Content, ScanContext } from "../../contract/scanner.ts";
import { type ByteSource, sourceSlice } from "../../contract/source.ts";
import { MalformedError } from "../../readers/malformed.ts";
import { type MsgpackValue, readMsgpack } from "../../readers/msgpack/read_msgpack.ts";
import { modelMetadata } from "../model/metadata.ts";
import { modelScanner } from "../model/scanner.ts";
import { checkModelText } from "../model/text.ts";
import { ElementCounts } from "../tensors/element_counts.ts";
import { listedNames } from "../tensors/names.ts";
import { TensorNames } from "../tensors/tensor_names.ts";
import { type FlaxArray, readArray } from "./array.ts";

const STRUCTURE = "MessagePack Structure";
const ARRAYS = "Flax Arrays";
const KEYS = "MessagePack Keys";
const TEXT = "MessagePack Text";

/** Checks MessagePack, the format of models of Flax and JAX. */
export const flaxScanner = modelScanner({
  id: "flax_msgpack",
  structure: STRUCTURE,
  passed: {
    [STRUCTURE]: "The file is one value, which was read completely",
    [ARRAYS]: "Every array has the size of its type and shape, and no Python objects",
    [KEYS]: "No key names what Python runs when it restores objects",
    [TEXT]: "No text contains code, paths or credentials",
  },
  matches: isMsgpack,
  inspect({ source }, context, checks) {
    new FlaxScan(source, context, checks).run();
  },
});

/** A map whose first key is a name, with a map, a list, an array or bytes as its first value. */
function isMsgpack({ name, source }: Content): boolean {
  if (/\.msgpack$/i.test(name)) return source.size > 0;
  const head = source.read(0, 40);
  const [type = 0] = head;
  const at = type >= 0x81 && type <= 0x8f ? 1 : type === 0xde ? 3 : 0;
  const length = (head[at] ?? 0) - 0xa0;
  if (at === 0 || length < 1 || length > 0x1f) return false;
  const key = head.subarray(at + 1, at + 1 + length);
  const value = head[at + 1 + length];
  return key.every((byte) => byte >= 0x20 && byte < 0x7f) && value !== undefined &&
    (value >= 0x81 && value <= 0x9f || value >= 0xc4 && value <= 0xc9 || value === 0xde);
}

/** Methods and tables that Python uses to restore, call or reach objects. */
const HOSTILE_KEY =
  /^(?:__(?:reduce|reduce_ex|setstate|getstate|globals|builtins|class|code|import|call|init|new|subclasses)__|compiled_fn|restore_fn)$/;

/** Extensions of Flax: an array, a complex number, and a NumPy scalar. */
const ARRAY = 1;
const COMPLEX = 2;
const SCALAR = 3;
/** Bytes outside of arrays that are scanned. */
const MAX_BYTES_SCANNED = 1000;
const MAX_NAMES = 10_000;

class FlaxScan {
  readonly #source: ByteSource;
  readonly #context: ScanContext;
  readonly #checks: Checklist;
  readonly #counts = new ElementCounts();
  readonly #names: string[] = [];
  readonly #nameFacts = new TensorNames();
  #arrays = 0;
  #scanned = 0;

  constructor(source: ByteSource, context: ScanContext, checks: Checklist) {
    this.#source = source;
    this.#context = context;
    this.#checks = checks;
  }

  run(): void {
    const values = readMsgpack(this.#source);
    let next = values.next();
    for (; !next.done; next = values.next()) this.#take(next.value);
    if (this.#arrays > 0) this.#addMetadata();
    const end = next.value;
    if (end === this.#source.size) return;
    this.#checks.add(STRUCTURE, {
      severity: "warning",
      message: `${this.#source.size - end} bytes follow the value`,
      position: end,
      ruleCode: "S908",
    });
    this.#context.scanMember("trailing data", sourceSlice(this.#source, end, this.#source.size));
  }

  #addMetadata(): void {
    this.#context.addAssetParts({ tensors: listedNames(this.#names) });
    this.#context.addMetadata(modelMetadata({
      framework: "flax",
      indicator: "MessagePack with arrays",
      context: {
        ...this.#counts.facts,
        ...this.#nameFacts.facts(this.#counts.types),
        training_framework: "jax",
      },
      facts: { tensor_count: this.#arrays },
    }));
    this.#context.addFacts({ format: "flax", ...this.#counts.tensorFacts });
  }

  #take(value: MsgpackValue): void {
    const { kind, path, start, length } = value;
    if (kind === "key") return this.#key(String(value.value), start);
    if (kind === "text") {
      return checkModelText(TEXT, "A text", String(value.value), this.#checks, start);
    }
    if (kind === "bytes") return this.#bytes(path, start, length);
    if (kind !== "extension") return;
    if (value.type === ARRAY || value.type === SCALAR) return this.#array(path, start, length);
    if (value.type === COMPLEX) return;
    this.#checks.add(STRUCTURE, {
      severity: "info",
      message: `Extension ${value.type} of ${quotedExcerpt(path.join("."))} is not one of Flax`,
      position: start,
      ruleCode: "S902",
    });
    this.#bytes(path, start, length);
  }

  #key(key: string, position: number): void {
    if (!HOSTILE_KEY.test(key)) return;
    this.#checks.add(KEYS, {
      severity: "warning",
      message: `Key ${quotedExcerpt(key)} names what Python runs when it restores objects`,
      position,
      ruleCode: "S1105",
    });
  }

  /** Bytes that are no array can be anything. */
  #bytes(path: readonly string[], start: number, length: number): void {
    if (length === 0 || this.#scanned++ >= MAX_BYTES_SCANNED) return;
    this.#context.scanMember(path.join(".") || "bytes", sourceSlice(this.#source, start, length));
  }

  #array(path: readonly string[], start: number, length: number): void {
    const array = this.#readArray(path, start, length);
    if (array === undefined) return;
    const { type, elements, expectedBytes, bytes } = array;
    this.#arrays++;
    this.#counts.add(type, elements, BigInt(bytes));
    this.#nameFacts.add(path.join("."));
    if (this.#names.length < MAX_NAMES) this.#names.push(path.join("."));
    const shown = quotedExcerpt(path.join("."));
    if (type === "object" || type.includes("O")) {
      this.#fail(`Array ${shown} has Python objects`, start, "S213");
    } else if (expectedBytes !== undefined && expectedBytes !== BigInt(bytes)) {
      const message =
        `Array ${shown} has ${bytes} bytes; its type and shape require ${expectedBytes}`;
      this.#fail(message, start, "S804");
    }
  }

  #readArray(path: readonly string[], start: number, length: number): FlaxArray | undefined {
    try {
      return readArray(sourceSlice(this.#source, start, length));
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error;
      const message = `Array ${quotedExcerpt(path.join("."))} cannot be read: ${error.message}`;
      this.#fail(message, start, "S902");
      this.#bytes(path, start, length);
      return undefined;
    }
  }

  #fail(message: string, position: number, ruleCode: "S213" | "S804" | "S902"): void {
    this.#checks.add(ARRAYS, { severity: "warning", message, position, ruleCode });
  }
}
