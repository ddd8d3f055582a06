/** The regular expressions of the product, and whether a search by them takes linear time. */

import { once } from "node:events";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { ROOT } from "./child_server.ts";
import { waysThrough } from "./regex_paths.ts";

export interface Expression {
  readonly source: string;
  readonly flags: string;
}

/** An expression and its position in the product. */
export interface Regex extends Expression {
  readonly path: string;
  readonly line: number;
}

/** How a search by an expression can be made slow, or undefined if it takes linear time. */
export interface Verdict {
  readonly attack?: string | undefined;
}

const CHECKER = fileURLToPath(new URL("./regex_checker.ts", import.meta.url));

/** A finite expression may take this many ways from each starting position. */
const MAX_WAYS = 500;

/** The literals in TypeScript, and the lines that build expressions. */
export function regexesIn(
  path: string,
  code: string,
): { literals: Regex[]; builders: { path: string; line: number }[] } {
  const literals: Regex[] = [];
  const builders: { path: string; line: number }[] = [];
  const at = ([start]: Deno.lint.Range) => ({
    path,
    line: code.slice(0, start).split("\n").length,
  });
  Deno.lint.runPlugin(
    {
      name: "regexes",
      rules: {
        find: {
          create: () => ({
            Literal(node) {
              const [, source, flags] = /^\/(.*)\/(\w*)$/.exec(code.slice(...node.range)) ?? [];
              if (source === undefined || flags === undefined) return;
              literals.push({ ...at(node.range), source, flags });
            },
            'Identifier[name="RegExp"]'(node) {
              const { type } = node.parent;
              if (type === "NewExpression" || type === "CallExpression") {
                builders.push(at(node.range));
              }
            },
          }),
        },
      },
    },
    path,
    code,
  );
  return { literals, builders };
}

/** The expressions that modules build while they load. */
export async function builtBy(modules: readonly string[]): Promise<Regex[]> {
  const worker = startWorker("./built_regexes.ts");
  worker.postMessage(modules.map((path) => pathToFileURL(ROOT + path).href));
  const built = await answerOf<Regex[]>(worker);
  await worker.terminate();
  return built.filter(({ path }) => path.startsWith(ROOT)).map((regex) => ({
    ...regex,
    path: regex.path.slice(ROOT.length),
  }));
}

/** The verdict on each expression. */
export async function verdictsOn(
  regexes: readonly Regex[],
): Promise<(readonly [Regex, Verdict])[]> {
  const verdicts: (readonly [Regex, Verdict])[] = [];
  const unbounded: Regex[] = [];
  for (const regex of regexes) {
    const ways = waysThrough(regex.source, regex.flags);
    if (ways === Infinity) unbounded.push(regex);
    else verdicts.push([regex, verdictOnFinite(ways)]);
  }
  const processes = Math.min(4, navigator.hardwareConcurrency);
  await Promise.all(Array.from({ length: processes }, async (_, index) => {
    const share = unbounded.filter((_, at) => at % processes === index);
    for (const [at, verdict] of (await checkedByAutomata(share)).entries()) {
      const regex = share[at];
      if (regex !== undefined) verdicts.push([regex, verdict]);
    }
  }));
  return verdicts;
}

async function checkedByAutomata(regexes: readonly Regex[]): Promise<Verdict[]> {
  const checker = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-config", "--no-lock", "--no-check", CHECKER],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = checker.stdin.getWriter();
  await writer.write(new TextEncoder().encode(JSON.stringify(regexes)));
  await writer.close();
  const { success, stdout } = await checker.output();
  if (!success) throw new Error("The checker of expressions failed");
  return JSON.parse(new TextDecoder().decode(stdout));
}

function verdictOnFinite(ways: number): Verdict {
  return { attack: ways <= MAX_WAYS ? undefined : `up to ${ways} ways from one position` };
}

function startWorker(module: string): Worker {
  return new Worker(new URL(module, import.meta.url));
}

async function answerOf<Answer>(worker: Worker): Promise<Answer> {
  const answers: Answer[] = await once(worker, "message");
  const [answer] = answers;
  if (answer === undefined) throw new Error("a worker answered nothing");
  return answer;
}
