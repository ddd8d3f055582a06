import type { RuleCode } from "../../contract/rules.ts";
import type { Severity } from "../../contract/severity.ts";
import { SECRET_PATTERNS } from "./patterns.ts";

/** A credential that stands in a text. It never holds the credential itself. */
export interface Secret {
  readonly kind: string;
  readonly ruleCode: RuleCode;
  readonly severity: Severity;
  /** Where it begins in the text, in characters. */
  readonly position: number;
  readonly length: number;
  /** At most four of its first characters. */
  readonly lead: string;
}

/** No credential is shorter. */
const MIN_SECRET_CHARACTERS = 16;

/** The credentials of known shapes in a text (S701 to S709), but not those that only show a shape. */
export function* findSecrets(text: string): Generator<Secret, void, void> {
  if (text.length < MIN_SECRET_CHARACTERS) return;
  const taken: [number, number][] = [];
  for (const { kind, ruleCode, severity, pattern, isReal: holds } of SECRET_PATTERNS) {
    for (const match of text.matchAll(pattern)) {
      const [found] = match;
      const position = match.index;
      const end = position + found.length;
      if (taken.some(([from, to]) => position < to && from < end)) continue;
      if (isPlaceholder(found) || holds?.(found) === false) continue;
      if (taken.length < 1000) taken.push([position, end]);
      yield { kind, ruleCode, severity, position, length: found.length, lead: leadOf(found) };
    }
  }
}

/** What names of keys say of the values that they have; read as lower case words. */
const TELLING_NAMES: readonly {
  kind: string;
  ruleCode: RuleCode;
  name: RegExp;
  shortest: number;
}[] = [
  {
    kind: "password",
    ruleCode: "S702",
    name: /(?:^|_)(?:password|passwd|passphrase|pwd)$/,
    shortest: 6,
  },
  { kind: "private key", ruleCode: "S703", name: /(?:^|_)private_?key$/, shortest: 32 },
  {
    kind: "AWS secret access key",
    ruleCode: "S704",
    name: /(?:^|_)secret_?access_?key$/,
    shortest: 32,
  },
  {
    kind: "API key",
    ruleCode: "S701",
    name: /(?:^|_)(?:api_?key|api_?token|access_?key|hf_?token|huggingface_?token|wandb_?key)$/,
    shortest: 16,
  },
  {
    kind: "OAuth token",
    ruleCode: "S708",
    name: /(?:^|_)(?:access_?token|auth_?token|refresh_?token|bearer_?token|client_?secret)$/,
    shortest: 16,
  },
  {
    kind: "secret of high entropy",
    ruleCode: "S710",
    name: /(?:^|_)(?:secret|secret_?key|credentials?)$/,
    shortest: 16,
  },
];

/** Names of fields and of resources, which stand where a password would go. */
const NOT_A_PASSWORD = /^[A-Za-z_.]+$|^arn:|:\/\/|^\//;

/**
 * The credential that a value is by the name of its key (S701 to S704, S708, S710). Names of files, of
 * variables and of classes, words and placeholders are none.
 */
export function secretByName(key: string, value: string): Secret | undefined {
  const name = key.replace(/([a-z0-9])([A-Z])/g, "$1_$2").replaceAll("-", "_").toLowerCase();
  const row = TELLING_NAMES.find((row) => row.name.test(name));
  if (row === undefined || value.length < row.shortest || value.length > 4096) return undefined;
  if (/[\s<>{}$]/.test(value) || isPlaceholder(value)) return undefined;
  if (row.kind === "password" ? NOT_A_PASSWORD.test(value) : !isRandom(value)) return undefined;
  const { kind, ruleCode } = row;
  const lead = leadOf(value);
  return { kind, ruleCode, severity: "warning", position: 0, length: value.length, lead };
}

const ASSIGNMENT =
  /(?<![\w-])([A-Za-z_]\w{2,60})["']?[ \t]{0,4}[:=][ \t]{0,4}["']([^"'\s]{6,200})["']/g;

/** The credentials in a text that only the names of their variables give away, as in `pwd = "…"`. */
export function* findAssignedSecrets(text: string): Generator<Secret, void, void> {
  for (const { 0: { length }, 1: name = "", 2: value = "", index } of text.matchAll(ASSIGNMENT)) {
    const secret = secretByName(name, value);
    if (secret === undefined || findSecrets(value).next().done === false) continue;
    yield { ...secret, position: index, length };
  }
}

/**
 * The credentials in a value that has a name, such as the key of a JSON object or of metadata: those of
 * known shapes and those assigned in its text; otherwise the value itself, if the name gives it away.
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

/** A text with every credential in it replaced by its kind. */
export function redact(text: string): string {
  const secrets = [...findSecrets(text)].sort((a, b) => b.position - a.position);
  let redacted = text;
  for (const { kind, position, length } of secrets) {
    redacted = `${redacted.slice(0, position)}[${kind}]${redacted.slice(position + length)}`;
  }
  return redacted;
}

/** The first characters of a credential: few of a short one. */
function leadOf(secret: string): string {
  return secret.slice(0, Math.min(4, Math.floor(secret.length / 8)));
}

/** Whether a text stands where a credential would go: it says so, or one character is all over it. */
function isPlaceholder(text: string): boolean {
  return /example|placeholder|your[-_ ]|redacted|changeme|x{6}|\*{4}|\.{4}|(.)\1{7}|0123456789|1234567890/i
    .test(text) || new Set(text).size <= 4;
}

/** Whether a value is as random as a key: digits and letters, and bits enough in each character. */
function isRandom(value: string): boolean {
  return /\d/.test(value) && /[A-Za-z]/.test(value) && entropy(value) >= 3;
}

/** Bits in a character, by how often each one occurs. */
function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= count / text.length * Math.log2(count / text.length);
  return bits;
}
