import * as v from "valibot";
import { SCANNED_VERDICTS } from "../../schemas/verdict_names.ts";
import { SIGNATURE_STATES } from "../../schemas/signatures.ts";
import { parseDuration, parseSize } from "../../schemas/units.ts";
import { pathMatcher } from "../glob.ts";
import { SCANNER_IDS } from "../scanner/mod.ts";
import {
  type Condition,
  type Effect,
  type FactName,
  type Facts,
  FILE_KINDS,
  type Policy,
  RESERVED_NAMES,
  type Rule,
} from "./policy.ts";

/** The formats that a rule can ask for. */
const FORMATS = [...SCANNER_IDS, "unknown"] as const;
const VERDICTS = [...SCANNED_VERDICTS, "failed"] as const;
const MAX_RULES = 500;
const MAX_WORDS = 500;

/** What uploads have no fact for, by the conditions on it. */
const MIRROR_ONLY = ["license", "younger_than", "older_than", "remote_code"] as const;

/** One text, or a list of which one has to match. */
function textsOf<const Text extends string>(text: v.GenericSchema<unknown, Text>) {
  return v.pipe(
    v.unknown(),
    v.transform((given) => Array.isArray(given) ? given : [given]),
    v.pipe(v.array(text), v.minLength(1, "expected a text or a list of texts, not an empty list")),
  );
}

function named(known: readonly string[]) {
  return v.pipe(
    v.string("expected a text"),
    v.check(
      (name) => known.includes(name),
      ({ input }) => `expected one of ${known.join(", ")}, not "${input}"`,
    ),
  );
}

const text = v.pipe(v.string("expected a text"), v.trim(), v.minLength(1, "expected a text"));

const words = v.pipe(
  text,
  v.maxLength(MAX_WORDS, `expected words for people, of ${MAX_WORDS} characters at most`),
);

const repositoryPattern = v.pipe(
  text,
  v.regex(
    /^[^/]+(?:\/[^/]+)?$/,
    ({ input }) => `expected a pattern such as "google/*", not "${input}"`,
  ),
);

const size = v.pipe(
  v.union([v.string(), v.number()], 'expected a size such as "5GiB"'),
  v.transform((given) => ({ given, bytes: parseSize(String(given)) ?? -1 })),
  v.check(
    ({ bytes }) => bytes >= 0,
    ({ input }) => `expected a size such as "5GiB", not "${input.given}"`,
  ),
  v.transform(({ bytes }) => bytes),
);

const duration = v.pipe(
  v.string('expected a duration such as "7d"'),
  v.transform((given) => ({ given, seconds: parseDuration(given) ?? -1 })),
  v.check(
    ({ seconds }) => seconds > 0,
    ({ input }) => `expected a duration such as "7d", not "${input.given}"`,
  ),
  v.transform(({ seconds }) => seconds * 1000),
);

const flag = v.boolean("expected true or false");

const RuleTable = v.pipe(
  v.strictObject({
    name: v.pipe(
      v.string("expected a name such as no-pickles"),
      v.regex(
        /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
        ({ input }) => `expected up to 64 letters, digits, dashes and underscores, not "${input}"`,
      ),
      v.check(
        (name) => !RESERVED_NAMES.includes(name),
        ({ input }) => `"${input}" is the name of what no rule decides`,
      ),
    ),
    allow: v.optional(words),
    deny: v.optional(words),
    uploads: v.optional(flag, false),
    repository: v.optional(textsOf(repositoryPattern)),
    kind: v.optional(textsOf(named(FILE_KINDS))),
    file: v.optional(textsOf(v.pipe(text, v.regex(/[^/.]/, "expected a path or a pattern")))),
    format: v.optional(textsOf(named(FORMATS))),
    license: v.optional(textsOf(text)),
    larger_than: v.optional(size),
    smaller_than: v.optional(size),
    younger_than: v.optional(duration),
    older_than: v.optional(duration),
    verdict: v.optional(textsOf(named(VERDICTS))),
    remote_code: v.optional(flag),
    signature: v.optional(textsOf(named(SIGNATURE_STATES))),
    signed_by: v.optional(textsOf(text)),
  }, ruleMessage),
  v.check(
    ({ allow, deny }) => (allow === undefined) !== (deny === undefined),
    "expected either allow or deny, with words for people",
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed || !dataset.value.uploads) return;
    const { value } = dataset;
    const found = MIRROR_ONLY.find((name) => value[name] !== undefined);
    if (found === undefined) return;
    addIssue({
      message: `uploads have none: a rule with it cannot have uploads = true`,
      path: [{ type: "object", origin: "value", input: value, key: found, value: value[found] }],
    });
  }),
);

type RuleTable = v.InferOutput<typeof RuleTable>;

/** The part `[policy]` of the file of rules. */
const PolicyTable = v.strictObject({
  default: v.optional(
    v.picklist(
      ["allow", "deny"],
      ({ received }) => `expected "allow" or "deny", not ${received}`,
    ),
    "allow",
  ),
  rule: v.optional(
    v.pipe(
      v.array(RuleTable, "expected tables such as [[policy.rule]]"),
      v.maxLength(MAX_RULES, `expected ${MAX_RULES} rules at most`),
      v.rawCheck(({ dataset, addIssue }) => {
        if (!dataset.typed) return;
        const seen = new Set<string>();
        for (const [index, { name }] of dataset.value.entries()) {
          if (!seen.has(name)) {
            seen.add(name);
            continue;
          }
          const table = { type: "array", origin: "value", input: dataset.value } as const;
          addIssue({
            message: `another rule has the name "${name}"`,
            path: [{ ...table, key: index, value: dataset.value[index] }],
          });
        }
      }),
    ),
    [],
  ),
}, policyMessage);

function ruleMessage({ expected, received }: v.StrictObjectIssue): string {
  if (expected === '"name"') return "a rule needs a name, such as no-pickles";
  return expected === "never" ? "no rule has this" : `expected a table, not ${received}`;
}

function policyMessage({ expected, received }: v.StrictObjectIssue): string {
  return expected === "never"
    ? "expected default, or rules in [[policy.rule]]"
    : `expected a table, not ${received}`;
}

/** What is wrong in a policy, and where: the keys that lead to it from `[policy]`. */
export interface PolicyProblem {
  readonly keys: readonly string[];
  readonly problem: string;
}

/** Reads `[policy]` of the file of rules (C 28). */
export function parsePolicy(table: unknown): Policy | PolicyProblem {
  const parsed = v.safeParse(PolicyTable, table);
  if (parsed.success) {
    return { default: parsed.output.default, rules: parsed.output.rule.map(toRule) };
  }
  const [issue] = parsed.issues;
  return { keys: (issue.path ?? []).map(({ key }) => String(key)), problem: issue.message };
}

function toRule(table: RuleTable): Rule {
  const { name, allow, deny, uploads } = table;
  const effect: Effect = deny === undefined ? "allow" : "deny";
  const conditions = conditionsOf(table);
  return {
    name,
    effect,
    words: deny ?? allow ?? "",
    uploads,
    conditions,
    signedBy: table.signed_by ?? [],
  };
}

function conditionsOf(table: RuleTable): Condition[] {
  const {
    larger_than: larger,
    smaller_than: smaller,
    younger_than: younger,
    older_than: older,
    remote_code: remoteCode,
  } = table;
  const found: (Condition | undefined)[] = [
    // A name of a repository is matched as a whole: `llama` is not that of other namespaces.
    condition("repository", table.repository && matching(table.repository, "/")),
    condition("kind", table.kind && oneOf(table.kind)),
    condition("file", table.file && matching(table.file, "")),
    condition("size", larger === undefined ? undefined : (it) => it > larger),
    condition("size", smaller === undefined ? undefined : (it) => it < smaller),
    condition("age", younger === undefined ? undefined : (it) => it < younger),
    condition("age", older === undefined ? undefined : (it) => it > older),
    condition("license", table.license && oneOf(table.license.map((it) => it.toLowerCase()))),
    condition("remoteCode", remoteCode === undefined ? undefined : (it) => it === remoteCode),
    condition("format", table.format && oneOf(table.format)),
    condition("verdict", table.verdict && oneOf(table.verdict)),
    condition("signature", table.signature && oneOf(table.signature)),
    condition("signedBy", table.signed_by && oneOf(table.signed_by)),
  ];
  return found.filter((it) => it !== undefined);
}

function condition<Name extends FactName>(
  fact: Name,
  matches: ((value: NonNullable<Facts[Name]>) => boolean) | undefined,
): Condition | undefined {
  if (matches === undefined) return undefined;
  return {
    fact,
    holds(facts) {
      const value = facts[fact];
      if (value === undefined) return undefined;
      return value !== null && value !== undefined && matches(value);
    },
  };
}

function oneOf(known: readonly string[]): (value: string) => boolean {
  const all = new Set(known);
  return (value) => all.has(value);
}

/** Whether any pattern matches. Upper and lower case are the same: loaders and hubs take them so. */
function matching(patterns: readonly string[], start: "" | "/"): (value: string) => boolean {
  const matchers = patterns.map((it) => pathMatcher(`${start}${it.toLowerCase()}`));
  return (value) => {
    const lower = value.toLowerCase();
    return matchers.some((matches) => matches(lower));
  };
}
