import type { Facts } from "../../../../schemas/facts.ts";
import { emitFailuresOnThrow } from "../../contract/checkpoint.ts";
import { excerpt } from "../../contract/excerpt.ts";
import { Checklist } from "../../contract/checklist.ts";
import { ElementCounts } from "../tensors/element_counts.ts";
import { unreadableFinding } from "../tensors/unreadable.ts";
import { countElements, parseDtype, typeName } from "./dtype.ts";
import { type ArrayHeader, hasArrayMagic, readArrayHeader } from "./header.ts";
import { formatLiteral, type Literal } from "./literal.ts";
import type { ScanContext, Scanner } from "../../contract/scanner.ts";
import { type ByteSource, sourceSlice } from "../../contract/source.ts";

const HEADER = "NumPy Header";
const OBJECTS = "NumPy Object Type";
const SHAPE = "NumPy Shape";
const SIZE = "NumPy Data Size";

/** Dimensions that NumPy supports. */
const MAX_DIMENSIONS = 64;
/** Bytes of the longest header that NumPy reads by default. */
const MAX_USUAL_HEADER_BYTES = 10_000;

/** Checks NumPy array files: the header, the size of the data, and the pickle of object arrays. */
export const numpyScanner: Scanner = {
  id: "numpy",
  matches: ({ name, source }) => /\.npy$/i.test(name) || hasArrayMagic(source),
  *scan({ source }, context) {
    const checks = new Checklist();
    yield* emitFailuresOnThrow(() => checkFile(source, context, checks), () => checks.finish());
    yield* checks.finish();
  },
};

function checkFile(source: ByteSource, context: ScanContext, checks: Checklist): void {
  checks.begin(HEADER, "The header is a literal with type, order and shape");
  if (!hasArrayMagic(source)) {
    return checks.add(HEADER, {
      message: "The file does not start with the NumPy magic",
      severity: source.size === 0 ? "info" : "warning",
      ruleCode: "S903",
      incomplete: "not_npy",
    });
  }
  const header = readArrayHeader(source);
  if ("reason" in header) return checks.add(HEADER, unreadableFinding(header));
  const array = new ArrayCheck(source, header, checks);
  array.checkHeader();
  context.addMetadata(array.facts);
  context.addFacts(array.tensorFacts);
  const dtype = parseDtype(header.description);
  // The name ends in .pkl because pickles of old protocols have no signature.
  if (dtype.hasObject) context.scanMember("objects.pkl", array.checkObjects());
  else array.checkData(dtype.itemSize, context);
}

class ArrayCheck {
  readonly #source: ByteSource;
  readonly #header: ArrayHeader;
  readonly #checks: Checklist;
  readonly #dtype: string;
  readonly #shape: string;
  /** Undefined if the shape is invalid or overflows. */
  readonly #elements: bigint | undefined;

  constructor(source: ByteSource, header: ArrayHeader, checks: Checklist) {
    this.#source = source;
    this.#header = header;
    this.#checks = checks;
    this.#dtype = excerpt(formatLiteral(header.description));
    this.#shape = excerpt(formatLiteral(header.shape));
    this.#elements = countElements(header.shape);
  }

  /** Type and shape, for the metadata of the file (SR 2.5). */
  get facts(): Readonly<Record<string, unknown>> {
    const count = this.#elements;
    const isCountable = count !== undefined && count <= BigInt(Number.MAX_SAFE_INTEGER);
    return {
      format: "npy",
      version: this.#header.version,
      dtype: this.#dtype,
      shape: this.#shape,
      ml_context: {
        frameworks: { numpy: { name: "numpy", confidence: 1, indicators: ["npy magic"] } },
        // Arrays are as often data as weights.
        overall_confidence: 0.5,
        is_ml_content: true,
        precision_type: this.#dtype,
        ...isCountable ? { parameter_count_estimate: Number(count) } : {},
      },
    };
  }

  /** The array as a tensor (C 29). */
  get tensorFacts(): Facts {
    const { description, version } = this.#header;
    const counts = new ElementCounts();
    const { itemSize } = parseDtype(description);
    const elements = this.#elements;
    if (elements !== undefined) {
      const bytes = itemSize === undefined ? undefined : itemSize * elements;
      counts.add(typeName(description) ?? this.#dtype, elements, bytes);
    }
    return { format: "numpy", format_version: String(version), ...counts.tensorFacts };
  }

  checkHeader(): void {
    const { oddities, length } = this.#header;
    const warn = (message: string) =>
      this.#checks.add(HEADER, { message, severity: "warning", ruleCode: "S902" });
    for (const oddity of oddities) warn(`The header has ${excerpt(oddity)}`);
    if (length <= MAX_USUAL_HEADER_BYTES) return;
    warn(`The header has ${length} bytes; NumPy reads at most ${MAX_USUAL_HEADER_BYTES}`);
  }

  /** Reports an array of objects. @returns its pickle. */
  checkObjects(): ByteSource {
    const { dataStart } = this.#header;
    this.#checks.add(OBJECTS, {
      message: "The array contains Python objects, stored as a pickle",
      severity: "info",
      position: dataStart,
      ruleCode: "S213",
      why: "Loading the array runs the pickle (CVE-2019-6446), which is scanned as a member.",
    });
    return sourceSlice(this.#source, dataStart, this.#source.size - dataStart);
  }

  /**
   * Checks the size of the data of a plain array. Bytes that the array does not account for are
   * scanned as a member.
   *
   * @param itemSize Bytes per element; undefined if the type is unknown.
   */
  checkData(itemSize: bigint | undefined, context: ScanContext): void {
    this.#checks.begin(OBJECTS, "The array contains no Python objects");
    this.#checks.begin(SHAPE, "The shape consists of whole numbers and does not overflow");
    this.#checks.begin(SIZE, "The data has the size of its type and shape");
    const { dataStart, shape } = this.#header;
    const actual = this.#source.size - dataStart;
    const elements = this.#elements;
    if (elements === undefined || dimensionsOf(shape) > MAX_DIMENSIONS) this.#failShape();
    if (itemSize === undefined) this.#failType();
    const isKnown = elements !== undefined && itemSize !== undefined;
    const expected = isKnown ? elements * itemSize : undefined;
    if (expected === BigInt(actual)) return;
    if (expected !== undefined) this.#failSize(expected, actual);
    const start = expected === undefined ? 0 : Number(expected);
    if (start >= actual) return;
    const rest = sourceSlice(this.#source, dataStart + start, actual - start);
    context.scanMember(isKnown ? "trailing data" : "data", rest);
  }

  #failShape(): void {
    const { shape } = this.#header;
    const overflows = dimensionsOf(shape) <= MAX_DIMENSIONS && isWholeNumbers(shape);
    this.#checks.add(SHAPE, {
      message: `The shape ${this.#shape} ${overflows ? "overflows" : "is invalid"}`,
      severity: overflows ? "critical" : "warning",
      ruleCode: "S804",
      incomplete: "invalid_shape",
    });
  }

  #failType(): void {
    this.#checks.add(HEADER, {
      message: `Unknown array type ${this.#dtype}`,
      severity: "info",
      ruleCode: "S902",
      incomplete: "unknown_dtype",
    });
  }

  #failSize(expected: bigint, actual: number): void {
    const isShort = expected > BigInt(actual);
    this.#checks.add(SIZE, {
      message: `The array has ${actual} bytes of data; its type and shape require ${expected}`,
      severity: "warning",
      position: this.#header.dataStart + (isShort ? actual : Number(expected)),
      ruleCode: isShort ? "S904" : "S908",
      ...isShort ? { incomplete: "truncated_data" } : {},
    });
  }
}

function dimensionsOf(shape: Literal): number {
  return shape.kind === "tuple" || shape.kind === "list" ? shape.items.length : 1;
}

function isWholeNumbers(shape: Literal): boolean {
  const items = shape.kind === "tuple" || shape.kind === "list" ? shape.items : [shape];
  return items.every((item) => item.kind === "integer" && item.value >= 0n);
}
