import type { RuleCode } from "../../contract/rules.ts";
import type { Severity } from "../../contract/severity.ts";
import { SECRET_PATTERNS } from "./patterns.ts";

/** Where a credential is in a text and what kind it is, without the credential itself. */
export interface Secret {
  readonly kind: string;
  readonly ruleCode: RuleCode;
  readonly severity: Severity;
  /** Index of its first character in the text. */
  readonly position: number;
  readonly length: number;
  /** Its first characters, at most four. */
  readonly lead: string;
}

/** Shorter texts are not searched. */
const MIN_SECRET_CHARACTERS = 16;

/** Finds the credentials of known shapes in a text (S701 to S709), without placeholders. */
export function* findSecrets(text: string): Generator<Secret, void, void> {
  if (text.length < MIN_SECRET_CHARACTERS) return;
  const taken: [number, number][] = [];
  for (const { kind, ruleCode, severity, pattern, isReal } of SECRET_PATTERNS) {
    for (const match of text.matchAll(pattern)) {
      const [found] = match;
      const position = match.index;
      const end = position + found.length;
      if (taken.some(([from, to]) => position < to && from < end)) continue;
      if (isPlaceholder(found) || isReal?.(found) === false) continue;
      if (taken.length < 1000) taken.push([position, end]);
      yield { kind, ruleCode, severity, position, length: found.length, lead: leadOf(found) };
    }
  }
}

/** Key names, in lower-case words, whose values are credentials. */
const TELLING_NAMES: readonly {
  kind: string;
  ruleCode: RuleCode;
  name: RegExp;
  minCharacters: number;
}[] = [
  {
    kind: "password",
    ruleCode: "S702",
    name: /(?:^|_)(?:password|passwd|passphrase|pwd)$/,
    minCharacters: 6,
  },
  { kind: "private key", ruleCode: "S703", name: /(?:^|_)private_?key$/, minCharacters: 32 },
  {
    kind: "AWS secret access key",
    ruleCode: "S704",
    name: /(?:^|_)secret_?access_?key$/,
    minCharacters: 32,
  },
  {
    kind: "API key",
    ruleCode: "S701",
    name: /(?:^|_)(?:api_?key|api_?token|access_?key|hf_?token|huggingface_?token|wandb_?key)$/,
    minCharacters: 16,
  },
  {
    kind: "OAuth token",
    ruleCode: "S708",
    name: /(?:^|_)(?:access_?token|auth_?token|refresh_?token|bearer_?token|client_?secret)$/,
    minCharacters: 16,
  },
  {
    kind: "secret of high entropy",
    ruleCode: "S710",
    name: /(?:^|_)(?:secret|secret_?key|credentials?)$/,
    minCharacters: 16,
  },
];

/** Names of fields and resources, which configurations give in place of a password, and words. */
const NOT_A_PASSWORD = /^[\p{L}\p{M}_.]+$|^arn:|:\/\/|^\//u;

/** Whether a value is a word for passwords, as lexicons have it: `Windows-passwords`. */
function isWordForPassword(value: string): boolean {
  return /pass/i.test(value) && /^[\p{L}\p{M}'’-]+$/u.test(value);
}

/**
 * Returns the credential that a value is according to its key (S701 to S704, S708, S710), or undefined.
 * Names of files, variables and classes, words and placeholders are not credentials.
 */
export function secretByName(key: string, value: string): Secret | undefined {
  const name = key.replace(/([a-z0-9])([A-Z])/g, "$1_$2").replaceAll("-", "_").toLowerCase();
  const row = TELLING_NAMES.find((row) => row.name.test(name));
  if (row === undefined || value.length < row.minCharacters || value.length > 4096) {
    return undefined;
  }
  if (/[\s<>{}$]/.test(value) || isPlaceholder(value)) return undefined;
  const isCredential = row.kind === "password"
    ? !NOT_A_PASSWORD.test(value) && !isWordForPassword(value)
    : isRandom(value);
  if (!isCredential) return undefined;
  const { kind, ruleCode } = row;
  const lead = leadOf(value);
  return { kind, ruleCode, severity: "warning", position: 0, length: value.length, lead };
}

const ASSIGNMENTS: readonly RegExp[] = [
  /(?<![\w-])([A-Za-z_]\w{2,60})["']?[ \t]{0,4}[:=][ \t]{0,4}["']([^"'\s]{6,200})["']/g,
  // Lines of environment files and of shells.
  /(?<![\w-])([A-Z_][A-Z0-9_]{2,60})=([^"'\s]{6,200})(?![^\s])/g,
];

/** Finds the credentials in a text that are recognized by the names of their variables: `pwd = "…"`. */
export function* findAssignedSecrets(text: string): Generator<Secret, void, void> {
  for (const pattern of ASSIGNMENTS) {
    for (const { 0: { length }, 1: name = "", 2: value = "", index } of text.matchAll(pattern)) {
      const secret = secretByName(name, value);
      if (secret === undefined || findSecrets(value).next().done === false) continue;
      yield { ...secret, position: index, length };
    }
  }
}

/**
 * Returns the credentials in a named value, such as one of a JSON object or of metadata: those of known
 * shapes and those assigned to variables in it; otherwise the value itself, if its name says so.
 */
export function secretsOfValue(name: string, value: string): Secret[] {
  const known = [...findSecrets(value)];
  const assigned = [...findAssignedSecrets(value)].filter((secret) =>
    !known.some((other) => overlap(secret, other))
  );
  const found = [...known, ...assigned];
  const named = found.length > 0 ? undefined : secretByName(name, value);
  return named === undefined ? found : [named];
}

function overlap(a: Secret, b: Secret): boolean {
  return a.position < b.position + b.length && b.position < a.position + a.length;
}

/** Replaces every credential of a known shape in a text by its kind. */
export function redact(text: string): string {
  const secrets = [...findSecrets(text)].sort((a, b) => a.position - b.position);
  const parts: string[] = [];
  let end = 0;
  for (const { kind, position, length } of secrets) {
    // Of very many credentials, some may overlap.
    if (position < end) continue;
    parts.push(text.slice(end, position), `[${kind}]`);
    end = position + length;
  }
  return parts.join("") + text.slice(end);
}

/** The first characters of a credential; fewer of a short one. */
function leadOf(secret: string): string {
  return secret.slice(0, Math.min(4, Math.floor(secret.length / 8)));
}

/** Whether a text is a placeholder for a credential: it says so, or repeats few characters. */
function isPlaceholder(text: string): boolean {
  return /example|placeholder|your[-_ ]|redacted|changeme|x{6}|\*{4}|\.{4}|(.)\1{7}|0123456789|1234567890/i
    .test(text) || new Set(text).size <= 4;
}

/** Whether a value is as random as a key: it has digits, letters and enough entropy. */
function isRandom(value: string): boolean {
  return /\d/.test(value) && /[A-Za-z]/.test(value) && entropy(value) >= 3;
}

/** Entropy in bits per character, from the frequency of each character. */
function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= count / text.length * Math.log2(count / text.length);
  return bits;
}
