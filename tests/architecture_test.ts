import * as assert from "node:assert/strict";
import { ROOT } from "./support/child_server.ts";
import { run } from "./support/tools.ts";

/** The rooms of the house and which of them each may look into; docs/architecture.md says why. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  main: ["routes", "core", "storage", "schemas"],
  routes: ["routes", "core", "schemas"],
  core: ["core", "schemas"],
  storage: ["storage", "core"],
  schemas: ["schemas"],
};

/**
 * All that storage may know of core: the interfaces that it fulfils, and their vocabulary. What of it is
 * about scans may know all of scanning, for it runs it in threads.
 */
const CORE_FOR_STORAGE = [
  "core/ports.ts",
  "core/content.ts",
  "core/errors.ts",
  "core/paths.ts",
  "core/turns.ts",
  "core/reports.ts",
];

interface Module {
  readonly specifier: string;
  readonly dependencies?: readonly { readonly code?: { readonly specifier: string } }[];
}

/** The modules of the program with what each imports, by paths from the root. */
async function importGraph(): Promise<Map<string, string[]>> {
  const entries = [
    "main.ts",
    "storage/reader_worker.ts",
    "storage/writer_worker.ts",
    "storage/content_worker.ts",
    "storage/report_worker.ts",
    "storage/scan_worker.ts",
  ];
  const graph = new Map<string, string[]>();
  const root = `file://${ROOT}`;
  for (const entry of entries) {
    const { code, stdout, stderr } = await run(Deno.execPath(), ["info", "--json", entry], {
      cwd: ROOT,
    });
    assert.equal(code, 0, stderr);
    const { modules }: { modules: Module[] } = JSON.parse(stdout);
    for (const { specifier, dependencies = [] } of modules) {
      if (!specifier.startsWith(root)) continue;
      const imported = dependencies.flatMap(({ code }) =>
        code?.specifier.startsWith(root) ? [code.specifier.slice(root.length)] : []
      );
      graph.set(specifier.slice(root.length), imported);
    }
  }
  return graph;
}

/** The parts of a module that import something. */
function importsOf(code: string): string {
  return [...code.matchAll(/\b(?:from|import)\s*\(?\s*"[^"]*"/g)].join("\n");
}

function room(path: string): string {
  return path.includes("/") ? path.slice(0, path.indexOf("/")) : path.replace(/\.ts$/, "");
}

Deno.test("imports point one way, and in no circle", async (t) => {
  const graph = await importGraph();
  assert.ok(graph.size > 40, `only ${graph.size} modules`);

  await t.step("each room looks only where it may", () => {
    for (const [from, imported] of graph) {
      for (const to of imported) {
        if (to.endsWith(".sql")) continue;
        assert.ok(ARROWS[room(from)]?.includes(room(to)), `${from} must not import ${to}`);
        if (room(from) === "storage" && room(to) === "core") {
          const allowed = CORE_FOR_STORAGE.includes(to) ||
            (to.startsWith("core/scan/") && from.startsWith("storage/scan"));
          assert.ok(allowed, `${from} must not import ${to}`);
        }
      }
    }
  });
  await t.step("no module imports itself by way of others", () => {
    const done = new Set<string>();
    const visit = (path: string, trail: readonly string[]): void => {
      assert.equal(trail.includes(path), false, `a circle: ${[...trail, path].join(" → ")}`);
      if (done.has(path)) return;
      for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
      done.add(path);
    };
    for (const path of graph.keys()) visit(path, []);
  });
  await t.step(
    "core and schemas touch neither the runtime nor files, except where capacity reads the host",
    async () => {
      for (const path of graph.keys()) {
        if (!["core", "schemas"].includes(room(path)) || !path.endsWith(".ts")) continue;
        if (path === "core/capacity/stats.ts") continue;
        const code = await Deno.readTextFile(ROOT + path);
        assert.doesNotMatch(code, /\bDeno\.|node:fs|node:sqlite|new Worker\b/, path);
      }
    },
  );
  await t.step(
    "only main.ts reads the environment, routes no files, and core no HTTP",
    async () => {
      for (const path of graph.keys()) {
        if (!path.endsWith(".ts")) continue;
        const code = await Deno.readTextFile(ROOT + path);
        if (path !== "main.ts") assert.doesNotMatch(code, /Deno\.env|process\.env/, path);
        if (room(path) === "routes") {
          assert.doesNotMatch(
            code,
            /node:fs|Deno\.(open|read|write|remove)/,
            path,
          );
        }
        if (room(path) === "core") {
          assert.doesNotMatch(
            code,
            /from "hono|\bstatus: \d{3}\b|Response\(/,
            path,
          );
        }
        if (room(path) !== "storage") {
          assert.doesNotMatch(
            code,
            /\b(SELECT|INSERT|DELETE) [A-Z*]+ /,
            path,
          );
        }
      }
    },
  );
  await t.step("nothing comes from anywhere but the package registry", async () => {
    for (const file of ["deno.json", "deno.lock", ...graph.keys()]) {
      const text = await Deno.readTextFile(ROOT + file);
      // Elsewhere than in an import a URL is a text.
      const code = file.endsWith(".ts") ? importsOf(text) : text;
      assert.doesNotMatch(code, /"(jsr:|https?:\/\/)/, file);
    }
  });
});
