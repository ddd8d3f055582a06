import { parse, TomlError } from "smol-toml";
import * as v from "valibot";
import type { Roles } from "../core/people/roles.ts";
import { parsePolicy } from "../core/policy/parse.ts";
import type { Policy } from "../core/policy/policy.ts";
import type { TrustedSigners } from "../core/signatures/trusted.ts";
import { PRIVILEGES, TREE_PRIVILEGES } from "../schemas/credentials.ts";
import { USER_NAMED } from "../schemas/people.ts";
import { MIB } from "../schemas/units.ts";
import { orMissing } from "../storage/disk/files.ts";
import { suggestion } from "./nearest.ts";
import { UsageError } from "./usage_error.ts";

const FILE = "strongroom.toml";
/** Enough for some thousand roles. Lines of a larger file would take long to find. */
const MAX_BYTES = MIB;

/** Which file has the rules of a server. */
export interface RulesSetting {
  readonly dataDir: string;
  /** @default `strongroom.toml` in the data directory, if it is there */
  readonly config?: string | undefined;
}

/** What the file of rules says, and where. */
export interface RulesFile {
  readonly path: string;
  /** Those of `[roles]` (C 27). */
  readonly roles: Roles | undefined;
  /** That of `[policy]` (C 28). */
  readonly policy: Policy | undefined;
  /** Those of `[signatures]` (C 29). */
  readonly signers: TrustedSigners | undefined;
  /** The error for what is wrong with a statement, which its keys lead to. */
  readonly invalid: (keys: readonly string[], problem: string) => UsageError;
  /** The line in which a role names a tree. */
  readonly lineOfTree: (group: string, tree: string) => number;
}

/**
 * Reads the rules file (C 27 to C 29). Returns undefined if there is no such file.
 *
 * @throws {UsageError} with the line and the reason, when something in it is wrong, or it cannot be read.
 */
export async function readRules({ dataDir, config }: RulesSetting): Promise<RulesFile | undefined> {
  const path = config ?? `${dataDir}/${FILE}`;
  const source = await orMissing(readText(path));
  if (source === undefined && config !== undefined) throw invalid(path, "there is no such file");
  if (source === undefined) return undefined;
  const table = parsedToml(path, source);
  const invalidAt = (keys: readonly string[], problem: string) => {
    const present = presentKeys(table, keys);
    return invalid(path, `line ${lineOf(source, present)}: ${present.join(".")}: ${problem}`);
  };
  const parsed = v.safeParse(RulesTable, table);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    throw invalidAt((issue.path ?? []).map(({ key }) => String(key)), issue.message);
  }
  const { roles, policy, signatures } = parsed.output;
  return {
    path,
    roles: roles && new Map(Object.entries(roles)),
    policy: policy === undefined ? undefined : policyIn(policy, invalidAt),
    signers: signatures === undefined ? undefined : await signersIn(signatures, invalidAt),
    invalid: invalidAt,
    lineOfTree: (group, tree) => lineOf(source, ["roles", group, "trees", tree]),
  };
}

/** @throws {UsageError} when something in it is wrong. */
function policyIn(table: unknown, invalidAt: RulesFile["invalid"]): Policy {
  const parsed = parsePolicy(table);
  if ("problem" in parsed) throw invalidAt(["policy", ...parsed.keys], parsed.problem);
  return parsed;
}

/** @throws {UsageError} when something in it is wrong. */
async function signersIn(
  table: unknown,
  invalidAt: RulesFile["invalid"],
): Promise<TrustedSigners> {
  // Most servers have no trusted signer, and need no library for signatures.
  const { parseSigners } = await import("../core/signatures/parse.ts");
  const parsed = parseSigners(table);
  if ("problem" in parsed) throw invalidAt(["signatures", ...parsed.keys], parsed.problem);
  return parsed;
}

/** Names of privileges; `view` is short for `resources.view`. */
function privilegesOf(known: readonly string[]) {
  return v.array(
    v.pipe(
      v.string("expected the name of a privilege"),
      v.transform((name) => name.includes(".") ? name : `resources.${name}`),
      v.check(
        (name) => known.includes(name),
        ({ input }) => `unknown privilege "${input}"${suggestion(input, known)}`,
      ),
    ),
    'expected a list such as ["view", "download"]',
  );
}

const Role = v.strictObject({
  privileges: v.optional(privilegesOf(PRIVILEGES), []),
  trees: v.optional(
    v.record(
      v.pipe(v.string(), v.regex(USER_NAMED, "expected the name or the number of a user")),
      privilegesOf(TREE_PRIVILEGES),
    ),
    {},
  ),
}, "expected privileges and trees");

const RulesTable = v.strictObject({
  roles: v.optional(v.record(v.string(), Role, "expected tables such as [roles.research]")),
  policy: v.optional(v.unknown()),
  signatures: v.optional(v.unknown()),
}, "expected [roles], [policy] or [signatures]");

async function readText(path: string): Promise<string> {
  try {
    const { size, isFile } = await Deno.stat(path);
    if (!isFile || size > MAX_BYTES) throw new Error("not a file of at most 1 MiB");
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw error;
    throw invalid(path, error instanceof Error ? error.message : String(error), error);
  }
}

function parsedToml(path: string, source: string): unknown {
  try {
    return parse(source);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const place = error instanceof TomlError ? `line ${error.line}, column ${error.column}: ` : "";
    throw invalid(path, place + (message.split("\n")[0] ?? ""), error);
  }
}

/**
 * The line that states something: the first one up to which the file has it. What a statement has in several lines
 * is found where the statement begins.
 */
function lineOf(source: string, keys: readonly string[]): number {
  const lines = source.split("\n");
  // The first `without` lines do not state it. Where a statement ends in line `from` or later, it is stated before.
  let [without, from] = [0, lines.length];
  while (from - without > 1) {
    const middle = Math.floor((without + from) / 2);
    let end = middle;
    let part = parsedPart(lines.slice(0, end).join("\n"));
    while (part === undefined) part = parsedPart(lines.slice(0, ++end).join("\n"));
    if (has(part, keys)) from = middle;
    else without = end;
  }
  let first = without + 1;
  while (first < lines.length && /^\s*(?:#.*)?$/.test(lines[first - 1] ?? "")) first++;
  return first;
}

/** The first lines of a file; undefined if a statement does not end with them. */
function parsedPart(source: string): unknown {
  try {
    return parse(source);
  } catch (error) {
    if (error instanceof TomlError) return undefined;
    throw error;
  }
}

/** The first keys, as far as a value has what they lead to: others are missing. */
function presentKeys(value: unknown, keys: readonly string[]): readonly string[] {
  return has(value, keys) ? keys : presentKeys(value, keys.slice(0, -1));
}

function has(value: unknown, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return true;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return false;
  return has(Reflect.get(value, key), rest);
}

function invalid(path: string, problem: string, cause?: unknown): UsageError {
  return new UsageError(`Cannot read the rules of "${path}": ${problem}`, { cause });
}
