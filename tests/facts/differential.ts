import { fileURLToPath } from "node:url";
import * as v from "valibot";
import { memorySource, scan } from "../../core/scanner/scan.ts";
import { Facts } from "../../schemas/facts.ts";
import { seededRandom } from "../support/random.ts";
import { run } from "../support/tools.ts";
import { CARD, mutatedCards } from "./shown_cards.ts";

const LIBRARIES = fileURLToPath(new URL("libraries.py", import.meta.url));

/** What a library reads in a file. */
const Read = v.object({ path: v.string(), facts: Facts });

/** Facts of files that their libraries read, made with a seed or found. */
export async function libraryFacts(
  python: string,
  ...args: string[]
): Promise<v.InferOutput<typeof Read>[]> {
  const { code, stdout, stderr } = await run(python, [LIBRARIES, ...args]);
  if (code !== 0) throw new Error(stderr);
  return stdout.split("\n").filter((line) => line !== "").map((line) =>
    v.parse(Read, JSON.parse(line))
  );
}

/** Where the scanner says something else of a file than its library, a line for each file. */
export function differences(read: readonly v.InferOutput<typeof Read>[]): string[] {
  return read.flatMap(({ path, facts: expected }) => {
    const { facts = {} } = scan(memorySource(Deno.readFileSync(path)), { name: nameOf(path) });
    const ours = comparable(facts, expected);
    const theirs = comparable(expected, expected);
    return ours === theirs ? [] : [`${path}: ${ours} is not ${theirs}`];
  });
}

/** Scans mutations of files, and returns those whose facts break their limits. */
export function mutated(paths: readonly string[], mutations: number, seed: number): string[] {
  const random = seededRandom(seed);
  const wrong: string[] = [];
  for (let index = 0; index < mutations; index++) {
    const path = paths[index % paths.length] ?? "";
    const bytes = Deno.readFileSync(path);
    for (let change = 0; change <= random(8) && bytes.length > 0; change++) {
      // Headers are at the beginning of most formats.
      bytes[random(random(2) === 0 ? bytes.length : Math.min(bytes.length, 256))] = random(256);
    }
    const { facts = {} } = scan(memorySource(bytes), { name: nameOf(path) });
    if (!v.is(Facts, facts)) wrong.push(`mutation ${index} of ${path}: ${JSON.stringify(facts)}`);
  }
  return wrong;
}

/** Those of the facts that a library tells as well, as a text. */
function comparable(facts: Facts, expected: Facts): string {
  const { dtypes = {}, ...rest } = facts;
  const kept = Object.entries(rest).filter(([name]) => Object.hasOwn(expected, name)).sort();
  return JSON.stringify([...kept, Object.entries(dtypes).sort()]);
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

if (import.meta.main) {
  const option = (name: string) =>
    Deno.args.find((it) => it.startsWith(`--${name}=`))?.slice(name.length + 3);
  const [files = "10000", seed = "1", python = "python3", mutations = "5000"] = [
    option("files"),
    option("seed"),
    option("python"),
    option("mutations"),
  ];
  const given = Deno.args.filter((it) => !it.startsWith("--"));
  const directory = await Deno.makeTempDir();
  try {
    const read = given.length > 0
      ? await libraryFacts(python, "describe", ...given)
      : await libraryFacts(python, "generate", directory, files, seed);
    const wrong = differences(read);
    const broken = mutated(read.map(({ path }) => path), Number(mutations), Number(seed));
    const shown = mutatedCards(CARD, Number(mutations), Number(seed));
    for (const line of [...wrong, ...broken, ...shown]) console.log(line);
    console.log(
      `${read.length} files, ${wrong.length} differ; ${mutations} mutations, ${broken.length} break limits; ` +
        `${mutations} cards, ${shown.length} parts of them shown as more than text`,
    );
    if (wrong.length + broken.length + shown.length > 0) Deno.exitCode = 1;
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}
