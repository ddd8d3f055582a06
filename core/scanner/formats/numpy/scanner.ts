import { emitFailuresOnThrow } from "../../contract/checkpoint.ts";
import { excerpt } from "../../contract/excerpt.ts";
import { Checklist } from "../../contract/checklist.ts";
import { type Dtype, dtypeOf, elementsOf } from "./dtype.ts";
import { type ArrayHeader, hasArrayMagic, readArrayHeader } from "./header.ts";
import type { Literal } from "./literal.ts";
import type { Content, ScanContext, Scanner } from "../../contract/scanner.ts";
import { type ByteSource, sourceSlice } from "../../contract/source.ts";

const HEADER = "NumPy Header";
const OBJECTS = "NumPy Object Type";
const SHAPE = "NumPy Shape";
const SIZE = "NumPy Data Size";

/** Dimensions that arrays of NumPy can have. */
const DIMENSIONS = 64;
/** Bytes of the longest header that NumPy reads unless told otherwise. */
const USUAL_HEADER = 10_000;

/** Checks NumPy array files: the header, the size of the data, and the pickle of object arrays. */
export const numpyScanner: Scanner = {
  id: "numpy",
  matches: ({ name, source }) => /\.npy$/i.test(name) || hasArrayMagic(source),
  *scan(content, context) {
    const checks = new Checklist();
    yield* emitFailuresOnThrow(() => checkFile(content, context, checks), () => checks.finish());
    yield* checks.finish();
  },
};

function checkFile({ source }: Content, context: ScanContext, checks: Checklist): void {
  checks.begin(HEADER, "The header is a literal of type, order and shape");
  if (!hasArrayMagic(source)) {
    return checks.add(HEADER, {
      message: "The file does not begin as a NumPy array does",
      severity: source.size === 0 ? "info" : "warning",
      ruleCode: "S903",
      incomplete: "not_npy",
    });
  }
  const header = readArrayHeader(source);
  if ("reason" in header) {
    const { reason, message, operational } = header;
    return checks.add(HEADER, {
      message,
      severity: "info",
      ruleCode: "S902",
      incomplete: reason,
      ...operational ? { operational } : {},
    });
  }
  checkHeader(header, checks);
  const dtype = dtypeOf(header.description);
  tell(header, context);
  if (dtype.hasObject) checkObjects(source, header, context, checks);
  else checkData(source, header, dtype, context, checks);
}

function checkHeader(header: ArrayHeader, checks: Checklist): void {
  for (const oddity of header.oddities) {
    const message = `The header has ${excerpt(oddity)}`;
    checks.add(HEADER, { message, severity: "warning", ruleCode: "S902" });
  }
  if (header.length <= USUAL_HEADER) return;
  const message = `The header has ${header.length} bytes, more than NumPy reads`;
  checks.add(HEADER, { message, severity: "warning", ruleCode: "S902" });
}

/** The name ends as those of pickles do, since pickles of old protocols have no signature. */
function checkObjects(
  source: ByteSource,
  { dataStart }: ArrayHeader,
  context: ScanContext,
  checks: Checklist,
): void {
  checks.add(OBJECTS, {
    message: "The array has Python objects, which are kept as a pickle",
    severity: "info",
    position: dataStart,
    ruleCode: "S213",
    why: "Reading it runs the pickle (CVE-2019-6446), which is scanned as one.",
  });
  context.scanMember("objects.pkl", sourceSlice(source, dataStart, source.size - dataStart));
}

function checkData(
  source: ByteSource,
  header: ArrayHeader,
  { itemSize }: Dtype,
  context: ScanContext,
  checks: Checklist,
): void {
  checks.begin(OBJECTS, "The array has no Python objects");
  checks.begin(SHAPE, "The shape is one of whole numbers that does not overflow");
  checks.begin(SIZE, "The data are as long as type and shape say");
  const found = source.size - header.dataStart;
  const elements = elementsOf(header.shape);
  if (elements === undefined || dimensionsOf(header.shape) > DIMENSIONS) failShape(header, checks);
  if (itemSize === undefined) failType(header, checks);
  const wanted = elements === undefined || itemSize === undefined ? undefined : elements * itemSize;
  if (wanted === BigInt(found)) return;
  if (wanted !== undefined) failSize(wanted, found, header, checks);
  const start = wanted === undefined ? 0 : Number(wanted);
  if (start >= found) return;
  const rest = sourceSlice(source, header.dataStart + start, found - start);
  context.scanMember(wanted === undefined ? "data" : "trailing data", rest);
}

function failShape({ shape }: ArrayHeader, checks: Checklist): void {
  const overflow = dimensionsOf(shape) <= DIMENSIONS && isIntegers(shape);
  checks.add(SHAPE, {
    message: `The shape ${excerpt(literalText(shape))} ${overflow ? "overflows" : "is none"}`,
    severity: overflow ? "critical" : "warning",
    ruleCode: "S804",
    incomplete: "invalid_shape",
  });
}

function failType({ description }: ArrayHeader, checks: Checklist): void {
  checks.add(HEADER, {
    message: `The type ${excerpt(literalText(description))} is unknown`,
    severity: "info",
    ruleCode: "S902",
    incomplete: "unknown_dtype",
  });
}

function failSize(wanted: bigint, found: number, header: ArrayHeader, checks: Checklist): void {
  const short = wanted > BigInt(found);
  checks.add(SIZE, {
    message: `The array has ${found} bytes of data, its type and shape call for ${wanted}`,
    severity: "warning",
    position: header.dataStart + (short ? found : Number(wanted)),
    ruleCode: short ? "S904" : "S908",
    ...short ? { incomplete: "truncated_data" } : {},
  });
}

function tell(header: ArrayHeader, context: ScanContext): void {
  const elements = elementsOf(header.shape);
  const precision = excerpt(literalText(header.description));
  const countable = elements !== undefined && elements <= BigInt(Number.MAX_SAFE_INTEGER);
  context.addMetadata({
    format: "npy",
    version: header.version,
    dtype: precision,
    shape: excerpt(literalText(header.shape)),
    ml_context: {
      frameworks: { numpy: { name: "numpy", confidence: 1, indicators: ["npy magic"] } },
      // Arrays are as often data as they are weights.
      overall_confidence: 0.5,
      is_ml_content: true,
      precision_type: precision,
      ...countable ? { parameter_count_estimate: Number(elements) } : {},
    },
  });
}

function dimensionsOf(shape: Literal): number {
  return shape.kind === "tuple" || shape.kind === "list" ? shape.items.length : 1;
}

function isIntegers(shape: Literal): boolean {
  const items = shape.kind === "tuple" || shape.kind === "list" ? shape.items : [shape];
  return items.every((item) => item.kind === "integer" && item.value >= 0n);
}

/** A literal as Python writes it, of which the first items are enough. */
function literalText(literal: Literal): string {
  switch (literal.kind) {
    case "text":
      return literal.text;
    case "integer":
      return `${literal.value}`;
    case "word":
      return literal.word;
    case "list":
      return `[${literal.items.slice(0, 20).map(literalText).join(", ")}]`;
    case "tuple":
      return `(${literal.items.slice(0, 20).map(literalText).join(", ")})`;
    case "dict":
      return "{…}";
  }
}
