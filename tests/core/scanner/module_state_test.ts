import * as assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import type * as Scanner from "../../../core/scanner/scan.ts";
import { memorySource } from "../../../core/scanner/contract/source.ts";
import { FIXTURES } from "../../fixtures/fixtures.ts";
import { ROOT } from "../../support/child_server.ts";
import { seededRandom } from "../../support/random.ts";
import { TempDir } from "../../support/temp_dir.ts";

/** The top-level names of a module, which `deno fmt` puts at the beginning of a line. */
const NAME = /^(?:export )?(?:async )?(?:const|function\*?|class|abstract class) (\w+)/gm;

type State = Readonly<Record<string, unknown>>;

/** A copy of the scanner whose modules export everything at their top level. */
interface OpenScanner {
  readonly mod: typeof Scanner;
  readonly modules: readonly State[];
}

async function openScanner(directory: string): Promise<OpenScanner> {
  const paths: string[] = [];
  const copy = async (folder: string) => {
    await Deno.mkdir(`${directory}/${folder}`, { recursive: true });
    for await (const { name, isDirectory } of Deno.readDir(ROOT + folder)) {
      const path = `${folder}/${name}`;
      if (isDirectory) await copy(path);
      else {
        const code = await Deno.readTextFile(ROOT + path);
        assert.doesNotMatch(code, /^(?:export )?(?:let|var) /m, `${path} has a variable`);
        assert.doesNotMatch(code, /^(?:export )?const [[{]/m, `${path} has nameless state`);
        assert.doesNotMatch(code, /^ +static (?:readonly )?#?\w+(?:: [^(]*)? = /m, path);
        const names = [...code.matchAll(NAME)].map(([, it]) => it);
        await Deno.writeTextFile(
          `${directory}/${path}`,
          `${code}\nexport const everything = { ${names.join(", ")} };\n`,
        );
        if (path.startsWith("core/scanner/")) paths.push(path);
      }
    }
  };
  for (const folder of ["core/scanner", "schemas"]) await copy(folder);
  const load = (path: string) => import(pathToFileURL(`${directory}/${path}`).href);
  const modules = await Promise.all(paths.map(load));
  return {
    mod: await load("core/scanner/scan.ts"),
    modules: modules.map(({ everything }) => everything),
  };
}

const BUILT_IN = new Set<unknown>(
  Object.getOwnPropertyNames(globalThis).flatMap((name) => {
    const value: unknown = Reflect.get(globalThis, name);
    return typeof value === "function" ? [value, value.prototype] : [value];
  }),
);

/** Everything that can be reached from module state, as text; and the regular expressions in it. */
function stateOf(modules: readonly State[]): { text: string; regexes: RegExp[] } {
  const seen = new Map<unknown, number>();
  const lines: string[] = [];
  const regexes: RegExp[] = [];
  const visit = (value: unknown): string => {
    if (BUILT_IN.has(value)) return "built in";
    const isObject = (typeof value === "object" && value !== null) || typeof value === "function";
    if (!isObject) return typeof value + String(value);
    const known = seen.get(value);
    if (known !== undefined) return `#${known}`;
    const id = seen.size;
    seen.set(value, id);
    if (value instanceof RegExp) regexes.push(value);
    const parts = value instanceof Map || value instanceof Set
      ? [...value].map((it) => Array.isArray(it) ? it.map(visit).join("=>") : visit(it))
      : [];
    for (const key of Reflect.ownKeys(value)) {
      if (value instanceof RegExp && key === "lastIndex") continue;
      const { value: inner, get, set } = Reflect.getOwnPropertyDescriptor(value, key) ?? {};
      parts.push(`${String(key)}:${[inner, get, set].map(visit).join("|")}`);
    }
    parts.push(visit(Object.getPrototypeOf(value)));
    lines.push(`#${id} ${parts.join()}`);
    return `#${id}`;
  };
  for (const module of modules) visit(module);
  return { text: lines.join("\n"), regexes };
}

/** The results of scanning all fixtures, by path, without times. */
function results(mod: typeof Scanner, paths: readonly string[]): Map<string, string> {
  return new Map(paths.map((path) => {
    const bytes = Deno.readFileSync(`${ROOT}tests/fixtures/models/${path}`);
    const scan = mod.scan(memorySource(bytes), { name: path.split("/").at(-1) ?? "" });
    return [path, JSON.stringify(scan, (key, value) => key === "timestamp" ? 0 : value)];
  }));
}

Deno.test("C 15 nothing passes from one scan to the next in the scanner", async (t) => {
  await using directory = await TempDir.make();
  const { mod, modules } = await openScanner(directory.path);
  const paths = FIXTURES.map(({ path }) => path);
  const before = stateOf(modules);
  const first = results(mod, paths);

  await t.step("no module has state that a scan changes", () => {
    assert.ok(modules.length > 150, `only ${modules.length} modules`);
    assert.ok(before.text.length > 100_000, `only ${before.text.length} characters of state`);
    assert.ok(stateOf(modules).text === before.text, "a scan has changed the state of a module");
  });
  await t.step(
    "no result depends on where a regular expression matched last, or on the order of scans",
    () => {
      const sticky = before.regexes.filter(({ global, sticky }) => global || sticky);
      assert.ok(sticky.length > 5, `only ${sticky.length} expressions`);
      const random = seededRandom(20261122);
      const keys = new Map(paths.map((path) => [path, random(2 ** 32)]));
      const shuffled = paths.toSorted((a, b) => (keys.get(a) ?? 0) - (keys.get(b) ?? 0));
      assert.notDeepEqual(shuffled, paths);
      for (const path of shuffled) {
        for (const regex of sticky) regex.lastIndex = 3;
        assert.equal(results(mod, [path]).get(path), first.get(path), path);
      }
    },
  );
});
