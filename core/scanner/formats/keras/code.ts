import { decodeLatin1, viewOf } from "../../readers/bytes/bytes.ts";
import { Buffer } from "node:buffer";
import { recognizedIn } from "../../knowledge/python/dangerous_names.ts";
import { CODE_DUNDERS } from "../../knowledge/python/dunders.ts";

/** What a string that stands for a function contains. */
export interface CodeFacts {
  /** Marshalled code, other text that is not a name, or the name of a function. */
  readonly kind: "bytecode" | "text" | "name";
  /** Names in it that run, load or fetch something, sorted. */
  readonly dangerousNames: readonly string[];
  /** Whether only its start was checked. */
  readonly isCut: boolean;
}

/** Characters that are checked. A usual lambda has some hundreds. */
const MAX_CHARACTERS = 2 ** 21;

/** Modules and functions alike: code refers to both by identifiers. */
const DANGEROUS_IDENTIFIERS = recognizedIn("code");

/** Dunder names that reach from any object to everything else. */
const DANGEROUS_DUNDER = new RegExp(`^__(?:${CODE_DUNDERS.join("|")})__$`);

/** Inspects a string that stands for a function. Keras stores code marshalled, in Base64. */
export function inspectCode(text: string): CodeFacts {
  const checked = text.slice(0, MAX_CHARACTERS);
  const isCut = text.length > checked.length;
  const decoded = decodeBase64(checked);
  if (isMarshalled(decoded)) {
    return { kind: "bytecode", dangerousNames: namesOfDanger(decoded), isCut };
  }
  // A bare name runs no code: Keras looks it up among the functions it knows.
  if (/^[\w.>]*$/.test(checked)) return { kind: "name", dangerousNames: [], isCut };
  return {
    kind: "text",
    dangerousNames: dangerousNames(checked.match(/[A-Za-z_]\w*/g) ?? []),
    isCut,
  };
}

/** Decodes as Python does, ignoring characters outside the alphabet. */
function decodeBase64(text: string): Uint8Array {
  return Buffer.from(text.replace(/[^A-Za-z0-9+/]/g, ""), "base64");
}

const REFERENCE_FLAG = 0x80;
const CODE_TYPE = "c".charCodeAt(0);
const MIN_CODE_BYTES = 20;

function isMarshalled(bytes: Uint8Array): boolean {
  const [type = 0] = bytes;
  return (type & ~REFERENCE_FLAG) === CODE_TYPE && bytes.length >= MIN_CODE_BYTES;
}

/** The names in marshalled code that run, load or fetch something, sorted. */
export function namesOfDanger(code: Uint8Array): string[] {
  return dangerousNames(marshalledNames(code));
}

function dangerousNames(names: Iterable<string>): string[] {
  const dangerous = [...names].filter((name) =>
    DANGEROUS_IDENTIFIERS.has(name) || DANGEROUS_DUNDER.test(name)
  );
  return [...new Set(dangerous)].sort();
}

const SHORT_STRINGS = new Set([..."zZ"].map((type) => type.charCodeAt(0)));
const LONG_STRINGS = new Set([..."aAutsN"].map((type) => type.charCodeAt(0)));
const MAX_NAME_BYTES = 100;

/**
 * Yields the identifiers in marshalled code: of its names, and of string constants that consist of
 * identifiers and dots. Paths and sentences are skipped, so that a file name causes no finding.
 */
function* marshalledNames(bytes: Uint8Array): Generator<string, void, void> {
  const view = viewOf(bytes);
  for (let position = 0; position + 2 < bytes.length; position++) {
    const type = view.getUint8(position) & ~REFERENCE_FLAG;
    let start = position + 2;
    let length = 0;
    if (SHORT_STRINGS.has(type)) length = view.getUint8(position + 1);
    else if (LONG_STRINGS.has(type) && position + 5 < bytes.length) {
      length = view.getUint32(position + 1, true);
      start = position + 5;
    }
    if (length === 0 || length > MAX_NAME_BYTES || start + length > bytes.length) continue;
    const text = decodeLatin1(bytes.subarray(start, start + length));
    if (/^[A-Za-z_][\w.]*$/.test(text)) yield* text.split(".");
  }
}
