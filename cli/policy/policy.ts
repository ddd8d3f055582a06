import { byDefault, rulesFor } from "../../core/policy/judge.ts";
import type { Origin, Policy, Rule } from "../../core/policy/policy.ts";
import { printable } from "../../schemas/printable.ts";
import { loadSettings } from "../environment.ts";
import { print } from "../print.ts";
import { printError } from "../print_error.ts";
import { verbArguments } from "../remote/verb.ts";
import { UsageError } from "../usage_error.ts";
import { checkFiles } from "./check_files.ts";
import { readPolicy } from "./read_policy.ts";

/**
 * `strongroom policy check`: prints the rules of the policy, or of what a server has whether it could be downloaded
 * (C 28). Exit code 0: all of it could, or nothing is wrong with the rules; 1: something could not; main.ts maps
 * failures to 2.
 */
export async function run([command, ...args]: string[]): Promise<number> {
  if (command !== "check") throw new UsageError("policy needs the command check");
  const { values, positionals: [given, ...others] } = verbArguments(args, {});
  if (others.length > 0) throw new UsageError(`Only one path is expected, not also "${others[0]}"`);
  if (given !== undefined) return await checkFiles(given, values);
  for (const name of ["server", "tree"] as const) {
    if (values[name] !== undefined) throw new UsageError(`--${name} needs a repository or a path`);
  }
  return await printRules(values.json);
}

async function printRules(json: boolean): Promise<number> {
  const found = await readPolicy(loadSettings());
  if (found?.policy === undefined) {
    if (!json) print("There is no [policy] in the file of rules: it refuses nothing");
    return 0;
  }
  const { path, policy } = found;
  for (const rule of policy.rules) print(json ? JSON.stringify(shownRule(rule)) : ruleText(rule));
  if (!json) print(`default: ${policy.default} what another hub has, allow what users upload`);
  for (const { rule, by, origin } of neverReached(policy)) {
    printError(
      `${path}: ${rule} decides nothing for ${NOUNS[origin]}: ${by} before it decides all`,
    );
  }
  return 0;
}

const NOUNS: Readonly<Record<Origin, string>> = { mirror: "the mirror", upload: "uploads" };

function ruleText({ name, effect, words, uploads, conditions }: Rule): string {
  const facts = [...new Set(conditions.map(({ fact }) => fact))].join(", ");
  return `${name}: ${effect} ${facts === "" ? "everything" : `by ${facts}`}` +
    `${uploads ? ", uploads too" : ""}: ${printable(words)}`;
}

function shownRule({ name, effect, words, uploads, conditions }: Rule): object {
  return { name, effect, words, uploads, facts: conditions.map(({ fact }) => fact) };
}

/** The rules after one that matches everything. */
function neverReached(
  policy: Policy,
): { readonly rule: string; readonly by: string; readonly origin: Origin }[] {
  return (["mirror", "upload"] as const).flatMap((origin) => {
    const rules = rulesFor(policy, origin);
    const last = rules.findIndex(({ conditions }) => conditions.length === 0);
    const by = rules[last]?.name ?? byDefault(policy, origin).name;
    return last < 0 ? [] : rules.slice(last + 1).map(({ name }) => ({ rule: name, by, origin }));
  });
}
