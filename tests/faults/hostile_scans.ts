import * as assert from "node:assert/strict";
import * as v from "valibot";
import { ScanEntry } from "../../schemas/scans.ts";
import { MIB } from "../../schemas/units.ts";
import { FIXTURES } from "../fixtures/fixtures.ts";
import { ChildServer, ROOT } from "../support/child_server.ts";
import type { Client } from "../support/client.ts";
import { MemoryContainer } from "../support/memory_container.ts";
import { USER_PRIVILEGES } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";

/** The memory of the container in which the server runs. */
const CONTAINER_BYTES = 512 * MIB;

/** A text that repeats a piece up to a size. */
function repeated(start: string, piece: string, end: string, bytes = 16 * MIB): string {
  return start + piece.repeat(Math.floor((bytes - start.length - end.length) / piece.length)) + end;
}

/** Files that take much memory or time, by name. */
export const GREEDY_FILES: Readonly<Record<string, () => string>> = {
  "lines.yaml": () => repeated('a0: "', "x\n", '"\n'),
  "backslashes.yaml": () => repeated('a0: "', "\\\\", '"\n'),
  "newlines.yaml": () => repeated('a0: "', "\\n", '"\n'),
  "escapes.yaml": () => repeated('a0: "', "\\u0041", '"\n'),
  "joined.toml": () => repeated('a0 = """', "\\ \n", '"""\n'),
  "sequence.yaml": () => repeated("", "- a\n", ""),
  "mappings.yaml": () => repeated("a:\n", "- {a: [1, 2]}\n", ""),
  "objects.json": () => repeated("[", '{"a":1},', "0]"),
  "arrays.json": () => repeated("", "[", ""),
  "keys.toml": () => repeated("", "a = 1\n", ""),
  "blanks.txt": () => repeated("-----BEGIN RSA PRIVATE KEY-----", " \t\r\n", ""),
  "comments.py": () => repeated("#!/usr/bin/env python\n", "# x\r\n", ""),
};

export interface HostileScanOptions {
  /** The generated files. */
  readonly greedy: readonly string[];
  /** The fixtures. */
  readonly fixtures: readonly string[];
  /** How long to measure before the scan, in milliseconds. @default not at all */
  readonly quietMs?: number;
}

/** Delays of requests in milliseconds: the 99th percentile. */
export interface Delays {
  readonly quiet: Readonly<Record<string, number>>;
  readonly busy: Readonly<Record<string, number>>;
}

/** Everything that {@link scanHostileFiles} can scan. */
export const ALL_HOSTILE: HostileScanOptions = {
  greedy: Object.keys(GREEDY_FILES),
  fixtures: FIXTURES.map(({ path }) => path),
  quietMs: 5000,
};

/**
 * Scans files in a server within 512 MB of memory, while another user uses it. The server must survive,
 * and the scan must end with a report on each file. Undefined if no container can be made here.
 *
 * @throws {AssertionError} otherwise.
 */
export async function scanHostileFiles(options: HostileScanOptions): Promise<Delays | undefined> {
  await using container = await MemoryContainer.make(CONTAINER_BYTES);
  if (container === undefined) return undefined;
  await using directory = await TempDir.make();
  await using server = await ChildServer.start({
    dataDir: `${directory.path}/data`,
    under: container.program,
  });
  const { pid } = server;
  const one = await server.as(1, [...USER_PRIVILEGES, "scans.run", "scans.view"]);
  const two = await server.as(2);
  const count = await uploadAll(one, options);
  const { quietMs = 0 } = options;
  const quiet = await delaysOf(two, new Promise((resolve) => setTimeout(resolve, quietMs)));
  const ended = scanAll(one, count);
  const busy = await delaysOf(two, ended);
  await ended;
  assert.equal(server.pid, pid, `the server died: ${server.log}`);
  assert.equal((await server.end("SIGTERM")).code, 0);
  return { quiet, busy };
}

/** Uploads the files. Returns how many. */
async function uploadAll(one: Client, { greedy, fixtures }: HostileScanOptions): Promise<number> {
  for (const name of greedy) {
    assert.equal(
      (await one.upload("greedy", { [name]: GREEDY_FILES[name]?.() ?? "" })).status,
      200,
    );
  }
  for (const [index, path] of fixtures.entries()) {
    const bytes = await Deno.readFile(`${ROOT}tests/fixtures/models/${path}`);
    const name = path.split("/").at(-1) ?? path;
    assert.equal((await one.upload(`fixtures/${index}`, { [name]: bytes })).status, 200);
  }
  return greedy.length + fixtures.length;
}

/** Scans all files, and waits for the report. */
async function scanAll(one: Client, count: number): Promise<void> {
  const scanSchema = v.object({ data: ScanEntry });
  let { text } = await one.json("POST", "/scans/?wait=60", { paths: ["greedy", "fixtures"] });
  let { data: scan } = v.parse(scanSchema, JSON.parse(text));
  while (scan.status === "queued" || scan.status === "running") {
    await new Promise((resolve) => setTimeout(resolve, 500));
    ({ text } = await one.send("GET", `/scans/${scan.id}`));
    ({ data: scan } = v.parse(scanSchema, JSON.parse(text)));
  }
  assert.equal(scan.status, "completed", text);
  assert.deepEqual([scan.files_total, scan.files_scanned], [count, count]);
  const report = await one.send("GET", `/scans/${scan.id}/report`);
  assert.equal(Object.keys(JSON.parse(report.text).file_metadata).length, count);
}

/** The delays of a user's requests until a promise settles. */
async function delaysOf(two: Client, until: Promise<unknown>): Promise<Record<string, number>> {
  let isOver = false;
  until.then(() => isOver = true, () => isOver = true);
  const delays: Record<string, number[]> = { healthz: [], list: [], upload: [] };
  const timed = async (name: string, request: () => Promise<{ status: number }>) => {
    const started = performance.now();
    assert.equal((await request()).status, 200, name);
    delays[name]?.push(performance.now() - started);
  };
  while (!isOver) {
    await timed("healthz", async () => {
      const response = await fetch(new URL("/healthz", two.url));
      await response.body?.cancel();
      return response;
    });
    await timed("list", () => two.list());
    await timed("upload", () => two.upload("d", { [`f${crypto.randomUUID()}`]: "content" }));
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return Object.fromEntries(
    Object.entries(delays).map(([name, values]) => {
      const sorted = values.toSorted((a, b) => a - b);
      return [name, sorted[Math.floor(sorted.length * 0.99)] ?? 0];
    }),
  );
}
