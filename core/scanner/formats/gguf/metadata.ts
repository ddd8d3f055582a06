import type { Facts } from "../../../../schemas/facts.ts";
import { excerpt } from "../../contract/excerpt.ts";
import type { Checklist } from "../../contract/checklist.ts";
import { checkTemplate } from "../../templates/check.ts";
import { addTemplateChecks } from "../../templates/template_checks.ts";
import { type Secret, secretsOfValue } from "../../knowledge/secrets/find_secrets.ts";
import { redactedExcerpt, redactedQuote } from "../../knowledge/secrets/redacted_excerpt.ts";
import { SecretSearch } from "../../knowledge/secrets/secret_search.ts";
import { secretFinding } from "../../knowledge/secrets/secret_finding.ts";
import { findSuspiciousText } from "../../knowledge/suspicious_text.ts";
import { GgufFacts } from "./facts.ts";
import { type GgufReader, type MetadataValue, UnreadableError } from "./reader.ts";
import { MIB } from "../../../../schemas/units.ts";

const KEYS = "GGUF Metadata Keys";
const VALUES = "GGUF Metadata Values";

/** Key-value pairs that are read. */
const MAX_ENTRIES = 20_000;
/** Bytes of the smallest entry: a key length, a type and a value. */
const MIN_ENTRY_BYTES = 9n;
/** Entries that the report repeats. */
const MAX_REPORTED_ENTRIES = 200;
/** Bytes of the longest key that the format allows. */
const MAX_KEY_BYTES = 65_535n;
const DEFAULT_ALIGNMENT = 32;

/** Reads and checks the metadata of a GGUF file. */
export class GgufMetadata {
  /** Bytes; undefined if the file has an invalid alignment. */
  alignment: number | undefined = DEFAULT_ALIGNMENT;
  architecture: string | undefined;
  blockCount: number | undefined;
  readonly #facts = new GgufFacts();
  readonly #reported = new Map<string, unknown>();
  readonly #keys = new Set<string>();
  readonly #reader: GgufReader;
  readonly #checks: Checklist;

  constructor(reader: GgufReader, checks: Checklist) {
    this.#reader = reader;
    this.#checks = checks;
  }

  /** What the metadata says of the model (C 29). */
  get facts(): Facts {
    return this.#facts.facts(this.architecture);
  }

  /** The first entries, with their values shortened. */
  summary(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(this.#reported);
  }

  /**
   * Reads and checks `count` entries.
   *
   * @throws {UnreadableError} when an entry is truncated, malformed or exceeds a limit.
   */
  read(count: bigint): void {
    this.#checks.begin(KEYS, "Metadata keys are unique and do not look like paths");
    this.#checks.begin(VALUES, "Metadata values contain no code, paths or credentials");
    if (count * MIN_ENTRY_BYTES > BigInt(this.#reader.cursor.bytesLeft)) {
      const message = `${count} metadata entries do not fit in the file`;
      throw new UnreadableError("truncated", message);
    }
    for (let index = 0; index < Number(count); index++) {
      if (index === MAX_ENTRIES) {
        const message = `Too many metadata entries: ${count} (limit ${MAX_ENTRIES})`;
        throw new UnreadableError("too_many_entries", message, true);
      }
      this.#readEntry();
    }
  }

  #readEntry(): void {
    const position = this.#reader.cursor.position;
    const { text: key, length } = this.#reader.text();
    if (length > MAX_KEY_BYTES) {
      throw new UnreadableError("key_too_long", `A metadata key has ${length} bytes`);
    }
    this.#checkKey(key, position);
    const label = `The metadata value of ${redactedQuote(key)}`;
    const texts = new SecretSearch(label, (finding) => this.#checks.add(VALUES, finding));
    const value = this.#reader.value((text) => {
      if (isTemplateKey(key)) addTemplateChecks(text, label, this.#checks);
      texts.add(text, position, isOfTokenizer(key) ? undefined : key);
      this.#facts.takeItem(key, text);
    });
    texts.finish();
    const secrets = value.type === "text" ? secretsOfValue(key, value.text) : [];
    for (const secret of secrets) this.#checks.add(VALUES, secretFinding(secret, position, label));
    if (value.type === "text") this.#checkText(key, label, value);
    this.#keep(key, value, secrets);
  }

  #checkKey(key: string, position: number): void {
    const shown = redactedExcerpt(key);
    const prefix = key.slice(0, 256);
    const message = this.#keys.has(prefix)
      ? `Duplicate metadata key "${shown}"`
      : /[\\/]/.test(key)
      ? `The metadata key "${shown}" looks like a path`
      : undefined;
    this.#keys.add(prefix);
    if (message === undefined) return;
    this.#checks.add(KEYS, { message, severity: "warning", position, ruleCode: "S905" });
  }

  #checkText(key: string, label: string, value: MetadataValue & { type: "text" }): void {
    const { text, length } = value;
    if (isTemplateKey(key) || isHostileTemplate(text)) {
      addTemplateChecks(text, label, this.#checks);
    }
    if (isOfTokenizer(key)) {
      if (isTemplateKey(key)) this.#checkLength(label, text, length);
      return;
    }
    this.#checkLength(label, text, length);
    for (const { what, severity, ruleCode, kind } of findSuspiciousText(text)) {
      const message = `${label} contains ${what}`;
      this.#checks.add(VALUES, { message, severity, ruleCode, details: { kind } });
    }
  }

  #checkLength(label: string, text: string, length: bigint): void {
    // Decoding never yields more characters than there are bytes.
    if (length <= BigInt(MIB)) return;
    this.#checks.add(VALUES, {
      message: `${label} has ${length} bytes; only the first ${text.length} were checked`,
      severity: "info",
      incomplete: "metadata_value_too_long",
      operational: true,
    });
  }

  #keep(key: string, value: MetadataValue, [secret]: readonly Secret[]): void {
    if (this.#reported.size < MAX_REPORTED_ENTRIES) {
      const summary = secret === undefined ? summaryOf(value) : `[${secret.kind}]`;
      this.#reported.set(redactedExcerpt(key), summary);
    }
    this.#facts.take(key, value);
    if (key === "general.alignment") this.alignment = alignmentOf(value);
    if (key === "general.architecture" && value.type === "text") {
      this.architecture = redactedExcerpt(value.text);
    }
    if (key === `${this.architecture}.block_count` && value.type === "number") {
      const count = Number(value.value);
      if (Number.isSafeInteger(count) && count >= 0) this.blockCount = count;
    }
  }
}

/** Whether a value belongs to a vocabulary, which contains any text, code included. */
function isOfTokenizer(key: string): boolean {
  return key.startsWith("tokenizer.");
}

function isTemplateKey(key: string): boolean {
  return /(?:^|[._])chat_template(?:[._]|$)/.test(key);
}

/** Whether a text is a template with a critical finding. Any key can hold one. */
function isHostileTemplate(text: string): boolean {
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

function summaryOf(value: MetadataValue): unknown {
  switch (value.type) {
    case "text":
      return value.length > 1000n ? `${value.length} bytes` : excerpt(value.text);
    case "array":
      return `${value.count} × ${value.element}`;
    case "number":
      return jsonNumber(value.value);
  }
}

/** The number itself if JSON can express it exactly, else its text. */
function jsonNumber(value: number | bigint | boolean): number | boolean | string {
  if (typeof value === "boolean") return value;
  const number = Number(value);
  const isExact = typeof value === "bigint"
    ? Number.isSafeInteger(number)
    : Number.isFinite(number);
  return isExact ? number : `${value}`;
}
