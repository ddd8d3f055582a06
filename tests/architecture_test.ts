import * as assert from "node:assert/strict";
import { dirname, normalize, relative } from "node:path/posix";
import { fileURLToPath } from "node:url";
import { WORKERS } from "../storage/threads/workers.ts";
import { ROOT } from "./support/child_server.ts";

const SCANNER = "core/scanner";
/** What storage and threads need to know of core: ports, and the vocabulary of ports. */
const CORE_FOR_STORAGE = [
  "core/ports.ts",
  "core/blob_store.ts",
  "core/compare/ports.ts",
  "core/console_sessions.ts",
  "core/content.ts",
  "core/content_changes.ts",
  "core/entries.ts",
  "core/errors.ts",
  "core/paths.ts",
  "core/event_loop.ts",
  "core/fair_queue.ts",
  "core/reports.ts",
  "core/spare_memory.ts",
  "core/history.ts",
  "core/history_changes.ts",
  "core/records.ts",
  "core/usage.ts",
  "core/search.ts",
  "core/search_terms.ts",
  "core/shares.ts",
  "core/semaphore.ts",
  "core/scans/ports.ts",
  "core/scans/problems.ts",
  "core/verdicts.ts",
  "core/links.ts",
  "core/locks.ts",
  "core/people/sign_in_store.ts",
  "core/mirror/ports.ts",
  "core/mirror/store.ts",
  "core/people/store.ts",
  "core/credential_end.ts",
  "core/credential_store.ts",
  "core/hub/git_files.ts",
  "core/settled_time.ts",
  "core/hub/kept_directory.ts",
  "core/hub/store.ts",
  "core/object_facts.ts",
  "core/s3/store.ts",
  "core/hub/tree_json.ts",
  "core/decided_upload.ts",
  "core/uploads.ts",
  "core/wasm_code.ts",
  "core/lfs_objects.ts",
  "core/upkeep/ports.ts",
];

/** What every room of routes may import. */
const FOR_ROUTES = [
  "routes/openapi",
  "routes/reply",
  "routes/request",
  "routes/serving",
  "core",
  "core/people",
  "core/scans",
  "core/tree",
  "schemas",
];

/**
 * The rooms of the house, and what each may import besides itself; docs/architecture.md has the map. A
 * file belongs to the room with the longest matching name. Type imports count.
 */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  "main.ts": [
    "cli",
    "cli/light",
    "cli/check",
    "cli/backup",
    "cli/migrate",
    "cli/adopt",
    "cli/scan",
    "cli/serve",
    "cli/people",
    "cli/policy",
    "cli/token",
  ],
  "cli/light": ["cli", "cli/mirror", "cli/remote", "cli/scan", "cli/supervisor", "cli/transfer"],
  packaging: ["cli/supervisor", "storage/threads"],
  "packaging/scanner": [
    "packaging",
    `${SCANNER}/mod.ts`,
    `${SCANNER}/scan.ts`,
    `${SCANNER}/readers`,
    "schemas",
  ],
  cli: [
    "routes",
    "core",
    "core/capacity",
    "core/people",
    "core/policy",
    "core/signatures",
    "schemas",
    "storage/stores",
    "storage/disk",
    "storage/scanners",
    "storage/threads",
  ],
  "cli/supervisor": [
    "cli",
    "cli/remote",
    "cli/transfer",
    "core",
    "core/capacity",
    "schemas",
    "storage/disk",
    "storage/scanners",
    "storage/threads",
  ],
  "cli/backup": [
    "cli/remote",
    "cli",
    "storage/upkeep/backup",
    "storage/upkeep/check",
    "storage/sqlite",
    "schemas",
  ],
  "cli/adopt": ["cli", "cli/serve", "schemas", "storage/upkeep/adopt"],
  "cli/migrate": ["cli", "cli/backup", "cli/serve", "schemas", "storage/upkeep/migrate"],
  "cli/mirror": ["cli", "cli/remote", "cli/transfer", "core", "schemas"],
  "cli/policy": ["cli", "cli/mirror", "cli/remote", "core/policy", "core/signatures", "schemas"],
  "cli/people": ["cli", "cli/remote", "cli/token", "core", "core/people", "schemas"],
  "cli/token": [
    "cli",
    "core",
    "core/people",
    "core/s3",
    "schemas",
    "storage/stores",
    "storage/upkeep/audit",
    "storage/disk",
    "storage/tables",
  ],
  "cli/check": ["cli", "cli/serve", "storage/upkeep/check", "schemas"],
  "cli/transfer": ["cli", "cli/remote", "core", "schemas", "storage/disk", "storage/stores"],
  "cli/remote": ["cli", "core", "schemas", "storage/disk"],
  "cli/scan": [
    "cli",
    "cli/remote",
    "cli/supervisor",
    "core",
    "core/capacity",
    "core/scans",
    `${SCANNER}/mod.ts`,
    "schemas",
    "storage/disk",
    "storage/scanners/sandbox",
    "storage/scanners",
  ],
  "cli/serve": [
    "cli",
    "cli/policy",
    "cli/supervisor",
    "routes",
    "routes/console",
    "routes/dav",
    "routes/hub",
    "routes/s3",
    "routes/request",
    "routes/serving",
    "core",
    "core/capacity",
    "core/compare",
    "core/hub",
    "core/mirror",
    "core/people",
    "core/policy",
    "core/s3",
    "core/scans",
    "core/signatures",
    "core/tree",
    "core/upkeep",
    "schemas",
    "storage/stores",
    "storage/upstream",
    "storage/upkeep/audit",
    "storage/reports",
    "storage/scanners/sandbox",
    "storage/scanners",
    "storage/threads",
  ],
  routes: [
    ...FOR_ROUTES,
    "routes/administration",
    "routes/mirror",
    "routes/scans",
    "routes/transfers",
    "routes/trees",
  ],
  "routes/request": ["core", "core/tree", "schemas"],
  "routes/reply": [
    "routes/openapi",
    "routes/request",
    "core",
    "core/policy",
    "core/s3",
    "core/scans",
    "core/tree",
    "schemas",
  ],
  "routes/serving": [
    "routes/openapi",
    "routes/reply",
    "routes/request",
    "core",
    "core/capacity",
    "core/compare",
    "core/hub",
    "core/mirror",
    "core/people",
    "core/s3",
    "core/scans",
    "core/tree",
    "schemas",
  ],
  "routes/administration": [...FOR_ROUTES, "core/capacity"],
  "routes/mirror": [...FOR_ROUTES, "core/mirror"],
  "routes/scans": FOR_ROUTES,
  "routes/transfers": FOR_ROUTES,
  "routes/trees": [...FOR_ROUTES, "routes/transfers", "core/compare"],
  "routes/dav": [...FOR_ROUTES, "routes/transfers"],
  "routes/hub": [...FOR_ROUTES, "routes/transfers", "core/hub", "core/mirror"],
  "routes/s3": [...FOR_ROUTES, "routes/transfers", "core/s3"],
  "routes/openapi": ["core", "schemas"],
  "routes/console": [
    "routes",
    "routes/reply",
    "routes/request",
    "routes/serving",
    "core",
    "core/people",
    "schemas",
  ],
  "routes/console/app": [`${SCANNER}/contract/rules.ts`, `${SCANNER}/readers`, "schemas"],
  core: ["schemas"],
  "core/compare": ["core", "core/scans", "core/tree", `${SCANNER}/mod.ts`, "schemas"],
  "core/hub": ["core", "core/tree", "schemas"],
  "core/mirror": ["core", "core/hub", "core/policy", "core/signatures", "core/tree", "schemas"],
  "core/people": ["core", "schemas"],
  "core/policy": ["core", "core/signatures", `${SCANNER}/mod.ts`, "schemas"],
  "core/s3": ["core", "core/tree", "schemas"],
  "core/signatures": ["core", "schemas"],
  "core/tree": ["core", "core/policy", "core/signatures", "schemas"],
  "core/capacity": ["core", "schemas"],
  "core/upkeep": ["core", "core/tree", "schemas"],
  "core/scans": ["core", "core/capacity", "core/tree", `${SCANNER}/mod.ts`, "schemas"],
  [`${SCANNER}/mod.ts`]: inScanner("contract", "formats/catalog.ts", "report", "versions.ts"),
  [`${SCANNER}/scan.ts`]: inScanner("contract", "engine", "formats"),
  [`${SCANNER}/tensors.ts`]: inScanner("contract", "formats"),
  [`${SCANNER}/versions.ts`]: [],
  [`${SCANNER}/contract`]: ["schemas"],
  [`${SCANNER}/readers`]: inScanner("contract"),
  [`${SCANNER}/knowledge`]: inScanner("readers", "contract"),
  [`${SCANNER}/templates`]: inScanner("knowledge", "readers", "contract"),
  [`${SCANNER}/formats`]: inScanner("templates", "knowledge", "readers", "contract"),
  [`${SCANNER}/engine`]: inScanner("contract"),
  [`${SCANNER}/report`]: inScanner("contract"),
  schemas: [],
  "storage/stores": [
    "storage/content",
    "storage/content/directory",
    "storage/content/objects",
    "storage/disk",
    "storage/postgres",
    "storage/sqlite",
    "storage/tables",
    "schemas",
    ...CORE_FOR_STORAGE,
  ],
  "storage/sqlite": [
    "storage/content",
    "storage/disk",
    "storage/tables",
    "storage/threads",
    `${SCANNER}/mod.ts`,
    "schemas",
    ...CORE_FOR_STORAGE,
  ],
  "storage/postgres": [
    "core/event_channel.ts",
    "core/events.ts",
    "core/log.ts",
    "core/periodic.ts",
    "core/stored_events.ts",
    "storage/content",
    "storage/disk",
    "storage/tables",
    "storage/threads",
    `${SCANNER}/mod.ts`,
    "schemas",
    ...CORE_FOR_STORAGE,
  ],
  "storage/tables": [
    "core/event_channel.ts",
    "core/events.ts",
    "core/log.ts",
    "storage/content",
    "storage/disk",
    "storage/threads",
    `${SCANNER}/mod.ts`,
    `${SCANNER}/versions.ts`,
    "schemas",
    ...CORE_FOR_STORAGE,
  ],
  "storage/content": ["storage/disk", "storage/threads", "schemas", ...CORE_FOR_STORAGE],
  "storage/content/directory": [
    "storage/content",
    "storage/disk",
    "storage/threads",
    "schemas",
    ...CORE_FOR_STORAGE,
  ],
  "storage/content/objects": [
    "storage/content",
    "storage/disk",
    "storage/threads",
    "schemas",
    ...CORE_FOR_STORAGE,
  ],
  "storage/upkeep/audit": ["core/audit.ts", "storage/disk", "schemas"],
  "storage/upkeep/adopt": [
    "storage/content/objects",
    "storage/postgres",
    "storage/stores",
    "schemas",
  ],
  "storage/upkeep/backup": [
    "storage/content",
    "storage/content/directory",
    "storage/disk",
    "storage/sqlite",
    "storage/tables",
    "storage/threads",
    "storage/upkeep/check",
    "schemas",
    ...CORE_FOR_STORAGE,
  ],
  "storage/upkeep/check": [
    "storage/content",
    "storage/content/directory",
    "storage/content/objects",
    "storage/disk",
    "storage/postgres",
    "storage/sqlite",
    "storage/stores",
    "storage/tables",
    "storage/threads",
    "schemas",
    ...CORE_FOR_STORAGE,
  ],
  "storage/upkeep/migrate": [
    "storage/content",
    "storage/content/directory",
    "storage/disk",
    "storage/postgres",
    "storage/sqlite",
    "storage/stores",
    "storage/tables",
    "storage/threads",
    "storage/upkeep/backup",
    "storage/upkeep/check",
    "schemas",
    ...CORE_FOR_STORAGE,
  ],
  "storage/disk": ["schemas", ...CORE_FOR_STORAGE],
  "storage/reports": [
    "storage/postgres",
    "storage/tables",
    "storage/threads",
    ...CORE_FOR_STORAGE,
  ],
  "storage/scanners": [
    "storage/content",
    "storage/scanners/sandbox",
    "storage/threads",
    `${SCANNER}/mod.ts`,
    "schemas",
    ...CORE_FOR_STORAGE,
  ],
  "storage/scanners/sandbox": [
    "storage/content",
    "storage/threads",
    `${SCANNER}/mod.ts`,
    `${SCANNER}/scan.ts`,
    `${SCANNER}/tensors.ts`,
    "schemas",
    ...CORE_FOR_STORAGE,
  ],
  "storage/threads": CORE_FOR_STORAGE,
  "storage/upstream": ["storage/disk", "schemas", ...CORE_FOR_STORAGE],
};

function inScanner(...rooms: string[]): string[] {
  return [...rooms.map((room) => `${SCANNER}/${room}`), "schemas"];
}

interface SourceFile {
  readonly code: string;
  /** The files of the program that it imports, types included, by paths from the root. */
  readonly imports: readonly string[];
}

/** All source files of the program, by paths from the root. */
async function sourceFiles(): Promise<Map<string, SourceFile>> {
  const files = new Map<string, SourceFile>();
  const add = async (path: string) => {
    const code = await Deno.readTextFile(ROOT + path);
    const specifiers = code.matchAll(
      /(?:^(?:import|export)\b[^;"]*?\bfrom\s*|^import\s*|\bimport\(\s*)"(\.[^"]*)"/gm,
    );
    const imports = [...specifiers].map(([, it = ""]) => normalize(`${dirname(path)}/${it}`));
    files.set(path, { code, imports: imports.filter((it) => it.endsWith(".ts")) });
  };
  const walk = async (folder: string) => {
    for await (const { name, isDirectory } of Deno.readDir(ROOT + folder)) {
      if (isDirectory) await walk(`${folder}/${name}`);
      else if (name.endsWith(".ts")) await add(`${folder}/${name}`);
    }
  };
  await add("main.ts");
  for (const folder of ["cli", "core", "packaging", "routes", "schemas", "storage"]) {
    await walk(folder);
  }
  return files;
}

function roomOf(path: string): string {
  for (let room = path; room !== "."; room = dirname(room)) {
    if (Object.hasOwn(ROOMS, room)) return room;
  }
  throw new Error(`${path} is in no room`);
}

/** The first circle in a graph, or undefined if there is none. */
function circleIn(graph: ReadonlyMap<string, Iterable<string>>): string[] | undefined {
  const done = new Set<string>();
  const visit = (node: string, trail: readonly string[]): string[] | undefined => {
    if (trail.includes(node)) return [...trail.slice(trail.indexOf(node)), node];
    if (done.has(node)) return undefined;
    for (const next of graph.get(node) ?? []) {
      const circle = visit(next, [...trail, node]);
      if (circle !== undefined) return circle;
    }
    done.add(node);
    return undefined;
  };
  for (const node of graph.keys()) {
    const circle = visit(node, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

const workers = Object.values(WORKERS).map((module) => relative(ROOT, fileURLToPath(module)));

Deno.test("imports point one way, and in no circle", async (t) => {
  const files = await sourceFiles();
  assert.ok(files.size > 300, `only ${files.size} files`);

  await t.step("each room imports only the rooms that it may, types included", () => {
    const wrong: string[] = [];
    for (const [path, { imports }] of files) {
      const room = roomOf(path);
      const allowed = [room, ...ROOMS[room] ?? []];
      for (const it of imports) {
        if (!allowed.includes(roomOf(it)) && !allowed.includes(it)) wrong.push(`${path} → ${it}`);
      }
    }
    assert.deepEqual(wrong, []);
  });
  await t.step("no file has more than 310 lines", () => {
    const long = [...files].filter(([, { code }]) => code.split("\n").length > 311);
    assert.deepEqual(long.map(([path]) => path), []);
  });
  await t.step("every room has files", () => {
    const rooms = new Set([...files.keys()].map(roomOf));
    assert.deepEqual(Object.keys(ROOMS).filter((room) => !rooms.has(room)), []);
  });
  await t.step("no file imports itself by way of others", () => {
    const graph = new Map([...files].map(([path, { imports }]) => [path, imports]));
    assert.equal(circleIn(graph), undefined);
  });
  await t.step("no folder imports itself by way of others", () => {
    const graph = new Map<string, Set<string>>();
    for (const [path, { imports }] of files) {
      const folder = dirname(path);
      const others = graph.get(folder) ?? new Set();
      for (const it of imports) if (dirname(it) !== folder) others.add(dirname(it));
      graph.set(folder, others);
    }
    assert.equal(circleIn(graph), undefined);
  });
  /** The files that some files import, and those that they import, and so on. */
  const reachedFrom = (...entries: readonly string[]) => {
    const reached = new Set<string>();
    const visit = (path: string) => {
      if (reached.has(path)) return;
      reached.add(path);
      for (const it of files.get(path)?.imports ?? []) visit(it);
    };
    for (const entry of entries) visit(entry);
    return reached;
  };
  await t.step("every file is reachable from the command line or a worker", () => {
    const scanner = [...files.keys()].filter((path) =>
      // The build has the bundle import these in place of modules of the runtime.
      /^packaging\/scanner\/(?:build|scan|scanning|substitutes\/(?:buffer|crypto|zlib))\.ts$/
        .test(path)
    );
    const programs = [
      "main.ts",
      "cli/light/main.ts",
      "cli/light/scan.ts",
      "cli/lone_scanner.ts",
      "packaging/compile.ts",
      "packaging/console.ts",
      "packaging/npm/build.ts",
      "packaging/npm/install.ts",
      ...scanner,
    ];
    // The bundler begins with it.
    const browser = "routes/console/app/main.ts";
    const reached = reachedFrom(...programs, browser, ...workers);
    assert.deepEqual([...files.keys()].filter((path) => !reached.has(path)), []);
  });
  await t.step("only the thread that scans loads the formats", () => {
    const scanWorker = relative(ROOT, fileURLToPath(WORKERS.scan));
    const others = workers.filter((it) => it !== scanWorker);
    const formats = (entries: string[]) =>
      [...reachedFrom(...entries)].filter((it) => it.startsWith(`${SCANNER}/formats/`));
    assert.ok(formats([scanWorker]).length > 100);
    assert.deepEqual(formats(["main.ts", ...others]), [`${SCANNER}/formats/catalog.ts`]);
  });
});

Deno.test("rooms touch only what is theirs", async (t) => {
  const files = await sourceFiles();
  /** Asserts that no file outside of the exceptions holds the pattern. */
  const nowhere = (pattern: RegExp, from: string, except: readonly string[] = []) => {
    for (const [path, { code }] of files) {
      const isException = except.some((it) => path === it || path.startsWith(`${it}/`));
      if (path.startsWith(from) && !isException) assert.doesNotMatch(code, pattern, path);
    }
  };

  await t.step("core and schemas touch neither the runtime nor files, but to read the host", () => {
    const runtime = /\bDeno\.|node:fs|node:sqlite|new Worker\b/;
    nowhere(runtime, "core/", ["core/capacity/host_size.ts", "core/capacity/stats.ts"]);
    nowhere(runtime, "schemas/");
  });
  await t.step("only cli/environment.ts reads the environment", () => {
    nowhere(/Deno\.env|process\.env/, "", ["cli/environment.ts"]);
  });
  await t.step("only the supervisor, the build and what opens a browser run programs", () => {
    const allowed = ["cli/supervisor", "cli/remote/browser.ts", "packaging"];
    nowhere(/new Deno\.Command|node:child_process/, "", allowed);
  });
  await t.step("routes touch no files", () => {
    nowhere(/node:fs|Deno\.(open|read|write|remove)/, "routes/");
  });
  await t.step(
    "all replies of routes are made by respond(), which gives them their headers",
    () => {
      const others = /\bc\.(?:body|header|html|json|newResponse|redirect|text)\(/;
      // Preflight requests are answered by `cors`.
      nowhere(others, "routes/", ["routes/serving/cross_origin.ts"]);
    },
  );
  await t.step("core knows no HTTP", () => {
    nowhere(/from "hono|\bstatus: \d{3}\b|\bResponse\(/, "core/");
  });
  await t.step("SQL is in storage", () => {
    nowhere(/\b(SELECT|INSERT|DELETE) [A-Z*]+ /, "", ["storage"]);
  });
  await t.step("worker modules are named in one list", () => {
    nowhere(/new URL\(\s*"[^"]*\.ts"/, "", ["storage/threads/workers.ts"]);
    const named = [...files.keys()].filter((path) => /(?:^|[/_])worker\.ts$/.test(path));
    assert.deepEqual(workers.toSorted(), named.toSorted());
  });
  await t.step("packages come from the package registry alone", async () => {
    for (const file of ["deno.json", "deno.lock"]) {
      const text = await Deno.readTextFile(ROOT + file);
      assert.doesNotMatch(text, /"(jsr:|https?:\/\/)/, file);
    }
    nowhere(/\b(?:from|import)\s*\(?\s*"(?:jsr:|https?:)/, "");
  });
});
