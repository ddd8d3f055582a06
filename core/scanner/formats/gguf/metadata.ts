import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import type { Checklist } from "../../contract/checklist.ts";
import { checkTemplate } from "../../templates/check.ts";
import { addTemplateChecks } from "../../templates/template_checks.ts";
import { findSuspiciousText } from "../../knowledge/suspicious_text.ts";
import { type GgufReader, type MetadataValue, UnreadableError } from "./gguf_reader.ts";
import { MIB } from "../../../../schemas/units.ts";

const KEYS = "GGUF Metadata Keys";
const VALUES = "GGUF Metadata Values";

/** Keys and values that are read. */
const ENTRIES = 20_000;
/** Bytes of the smallest entry: a key length, a type and a value. */
const ENTRY_SIZE = 9n;
/** Entries that are told in the metadata of the file. */
const ENTRIES_TOLD = 200;
/** Bytes of the longest key that the format allows. */
const KEY_SIZE = 65_535n;
const DEFAULT_ALIGNMENT = 32n;

/** The metadata of a GGUF file: those that the rest is read by, and those that are told. */
export class GgufMetadata {
  /** Undefined where it is none that the format allows. */
  alignment: number | undefined = Number(DEFAULT_ALIGNMENT);
  architecture: string | undefined;
  blockCount: number | undefined;
  readonly #told = new Map<string, unknown>();
  readonly #keys = new Set<string>();
  readonly #checks: Checklist;

  constructor(checks: Checklist) {
    this.#checks = checks;
  }

  /** The first entries, cut short. */
  told(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(this.#told);
  }

  /**
   * Reads and checks all entries.
   *
   * @throws {TruncatedError | UnreadableError} where it can't read on.
   */
  read(reader: GgufReader, count: bigint): void {
    this.#checks.begin(KEYS, "Every key of the metadata occurs once, and is no path");
    this.#checks.begin(VALUES, "The metadata have no code, no paths and no credentials");
    if (count * ENTRY_SIZE > BigInt(reader.cursor.left)) {
      throw new UnreadableError("truncated", `${count} metadata entries exceed the file`);
    }
    for (let index = 0; index < Number(count); index++) {
      if (index === ENTRIES) {
        throw new UnreadableError("too_many_entries", `${count} metadata entries`, true);
      }
      this.#entry(reader);
    }
  }

  #entry(reader: GgufReader): void {
    const position = reader.cursor.position;
    const { text: key, length } = reader.text();
    if (length > KEY_SIZE) {
      throw new UnreadableError("key_too_long", `The metadata have a key of ${length} bytes`);
    }
    this.#checkKey(key, position);
    const place = `The metadata value of ${quotedExcerpt(key)}`;
    const value = reader.value(
      isTemplateKey(key) ? (text) => addTemplateChecks(text, place, this.#checks) : undefined,
    );
    if (value.type === "text") this.#checkText(key, place, value);
    this.#remember(key, value);
  }

  #checkKey(key: string, position: number): void {
    const shown = excerpt(key);
    const known = key.slice(0, 256);
    const fault = this.#keys.has(known)
      ? `The metadata have the key "${shown}" twice`
      : /[\\/]/.test(key)
      ? `The metadata key "${shown}" looks like a path`
      : undefined;
    this.#keys.add(known);
    if (fault === undefined) return;
    this.#checks.add(KEYS, { message: fault, severity: "warning", position, ruleCode: "S905" });
  }

  #checkText(key: string, place: string, value: MetadataValue & { type: "text" }): void {
    const { text, length } = value;
    if (isTemplateKey(key) || holdsHostileTemplate(text)) {
      addTemplateChecks(text, place, this.#checks);
    }
    if (key.startsWith("tokenizer.")) {
      if (isTemplateKey(key)) this.#checkLength(place, text, length);
      return;
    }
    this.#checkLength(place, text, length);
    for (const { what, severity, ruleCode, kind } of findSuspiciousText(text)) {
      const message = `${place} has ${what}`;
      this.#checks.add(VALUES, { message, severity, ruleCode, details: { kind } });
    }
  }

  #checkLength(place: string, text: string, length: bigint): void {
    // Decoding gives no more characters than there are bytes.
    if (length <= BigInt(MIB)) return;
    this.#checks.add(VALUES, {
      message: `${place} has ${length} bytes, of which the first ${text.length} were read`,
      severity: "info",
      incomplete: "metadata_value_too_long",
      operational: true,
    });
  }

  #remember(key: string, value: MetadataValue): void {
    if (this.#told.size < ENTRIES_TOLD) this.#told.set(excerpt(key), told(value));
    if (key === "general.alignment") this.alignment = alignmentOf(value);
    if (key === "general.architecture" && value.type === "text") {
      this.architecture = excerpt(value.text);
    }
    if (key === `${this.architecture}.block_count` && value.type === "number") {
      const count = Number(value.value);
      if (Number.isSafeInteger(count) && count >= 0) this.blockCount = count;
    }
  }
}

function isTemplateKey(key: string): boolean {
  return /(?:^|[._])chat_template(?:[._]|$)/.test(key);
}

function holdsHostileTemplate(text: string): boolean {
  return /\{[{%]/.test(text) &&
    checkTemplate(text).some(({ severity }) => severity === "critical");
}

function alignmentOf(value: MetadataValue): number | undefined {
  if (value.type !== "number" || typeof value.value === "boolean") return undefined;
  const alignment = Number(value.value);
  const valid = Number.isInteger(alignment) && alignment <= 2 ** 31 &&
    Number.isInteger(Math.log2(alignment));
  return valid ? alignment : undefined;
}

function told(value: MetadataValue): unknown {
  switch (value.type) {
    case "text":
      return value.length > 1000n ? `${value.length} bytes` : excerpt(value.text);
    case "array":
      return `${value.count} × ${value.element}`;
    case "number":
      return typeof value.value === "bigint" ? bigintTold(value.value) : finite(value.value);
  }
}

function bigintTold(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : `${value}`;
}

function finite(value: number | boolean): number | boolean | string {
  return typeof value === "boolean" || Number.isFinite(value) ? value : `${value}`;
}
