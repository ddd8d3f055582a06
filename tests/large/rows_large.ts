/**
 * `deno task test:rows`: a folder of 100 000 files in a browser, beside dufs and copyparty in turn: when the first
 * row is there, and the memory of the page; then, in the console, the longest frame while another client makes 36
 * changes in 15 s. The variable ROWS_ROOT names another checkout: then its console is measured beside this one, and no
 * other server. Needs chromium, and dufs and copyparty as far as they are installed. Measure on a machine that does
 * nothing else.
 */

import * as assert from "node:assert/strict";
import { type Browser, chromium, type Page } from "playwright-core";
import * as v from "valibot";
import { ChildServer } from "../support/child_server.ts";
import type { Client } from "../support/client.ts";
import { freePort, untilListening } from "../support/ports.ts";
import { SECRET } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram } from "../support/tools.ts";
import { CHROMIUM_OPTIONS, HAS_BROWSER, sessionOf } from "../browser/browser.ts";

const ROWS = 100_000;
const ROUNDS = 3;
const CHANGES = 36;
const CHANGES_S = 15;
/** How long a page may take until its first row is there. */
const MAX_WAIT_MS = 90_000;
/** How many files a form has. */
const FORM_FILES = 25_000;

const nameOf = (index: number) => `shard-${ROWS + index}.csv`;

/** A file server whose list is measured. */
interface Lister {
  readonly name: string;
  readonly url: string;
  /** The rows of its list that have a file, as a selector. */
  readonly rows: string;
  readonly cookie?: Awaited<ReturnType<typeof sessionOf>>;
}

/** What a list costs. */
interface Cost {
  /** When the first row is painted, in milliseconds since the page was asked for. */
  readonly firstRow: number;
  /** What the process of the page has worked until then, in milliseconds of a processor. */
  readonly work: number;
  /** The heap of the page's script, without garbage, and the memory of its process, in MiB. */
  readonly heap: number;
  readonly memory: number;
}

/** Notes when the first row is painted, and the longest frame. */
const WATCH = (rows: string) => {
  const selector = JSON.stringify(rows);
  return `{
    let before = performance.now();
    globalThis.rows = { first: 0, longest: 0 };
    const frame = () => {
      const now = performance.now();
      rows.longest = Math.max(rows.longest, now - before);
      before = now;
      if (rows.first === 0 && document.querySelector(${selector}) !== null) rows.first = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }`;
};

/** Opens a list in a browser of its own, which has no cache and no memory of others. Nothing is done if no row comes. */
async function withList<Result>(
  { url, rows, cookie }: Lister,
  work: (page: Page, firstRow: number, processes: Processes) => Promise<Result>,
): Promise<Result | undefined> {
  const browser = await chromium.launch(CHROMIUM_OPTIONS);
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    if (cookie !== undefined) await context.addCookies([cookie]);
    const page = await context.newPage();
    await page.addInitScript(WATCH(rows));
    const began = performance.now();
    await page.goto(url, { waitUntil: "commit", timeout: MAX_WAIT_MS });
    for (;;) {
      const firstRow = await page.evaluate<number>("rows.first");
      if (firstRow > 0) return await work(page, firstRow, new Processes(browser));
      if (performance.now() - began > MAX_WAIT_MS) return undefined;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  } finally {
    await browser.close();
  }
}

/** The processes of pages. */
class Processes {
  constructor(readonly browser: Browser) {}

  /** What the busiest of them has worked, in milliseconds of a processor, and its memory in bytes (Linux). */
  async busiest(): Promise<{ work: number; memory: number }> {
    const session = await this.browser.newBrowserCDPSession();
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    await session.detach();
    const pages = processInfo.filter(({ type }) => type === "renderer");
    const [page] = pages.sort((one, other) => other.cpuTime - one.cpuTime);
    assert.ok(page !== undefined);
    const status = await Deno.readTextFile(`/proc/${page.id}/status`);
    const memory = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? Number.NaN) * 1024;
    return { work: page.cpuTime * 1000, memory };
  }

  /** The longest task of a page while something is done, in milliseconds of a processor, whatever else runs. */
  async longestTask(page: Page, during: () => Promise<void>): Promise<number> {
    await this.browser.startTracing(page, { categories: ["toplevel"] });
    await during();
    const trace = JSON.parse(new TextDecoder().decode(await this.browser.stopTracing()));
    const { traceEvents } = v.parse(Trace, trace);
    const main = new Set(
      traceEvents.filter(({ name, args }) =>
        name === "thread_name" && args?.name === "CrRendererMain"
      ).map(({ pid, tid }) => `${pid} ${tid}`),
    );
    const tasks = traceEvents.filter(({ pid, tid, tdur }) =>
      tdur !== undefined && main.has(`${pid} ${tid}`)
    );
    assert.ok(tasks.length > 0);
    return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
  }
}

const Trace = v.object({
  traceEvents: v.array(v.object({
    name: v.string(),
    pid: v.number(),
    tid: v.number(),
    /** How long it took of a processor, in microseconds. */
    tdur: v.optional(v.number()),
    args: v.optional(v.object({ name: v.optional(v.unknown()) })),
  })),
});

/** What it costs until the first row is there, and what is kept then. */
function costOf(lister: Lister): Promise<Cost | undefined> {
  return withList(lister, async (page, firstRow, processes) => {
    const { work } = await processes.busiest();
    await page.waitForTimeout(3000);
    const session = await page.context().newCDPSession(page);
    await session.send("HeapProfiler.collectGarbage");
    const { usedSize } = await session.send("Runtime.getHeapUsage");
    const { memory } = await processes.busiest();
    return { firstRow, work, heap: usedSize / 2 ** 20, memory: memory / 2 ** 20 };
  });
}

/** Another client adds, replaces, renames and deletes files, evenly. In each round, they are others. */
async function makeChanges(client: Client, round: number): Promise<void> {
  for (let at = round * CHANGES; at < (round + 1) * CHANGES; at++) {
    const began = performance.now();
    const path = nameOf(at);
    const { status, text } = await [
      () => client.put(`new-${at}.csv`, "new"),
      () => client.put(path, `other ${at}`),
      () => client.move({ source: path, destination: `renamed-${at}.csv` }),
      () => client.remove({ path }),
    ][at % 4]!();
    assert.ok(status < 300, text);
    const rest = CHANGES_S * 1000 / CHANGES - (performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, rest)));
  }
}

async function fill(client: Client): Promise<void> {
  for (let first = 0; first < ROWS; first += FORM_FILES) {
    const body = new FormData();
    for (let index = first; index < first + FORM_FILES; index++) {
      body.append("files", new Blob(), nameOf(index));
    }
    const { status, text } = await client.send("POST", "/resources/", {
      query: { paths: "keep" },
      body,
    });
    assert.equal(status, 200, text.slice(0, 500));
  }
}

async function startConsole(parts: AsyncDisposableStack, root?: string) {
  const { path: dataDir } = parts.use(await TempDir.make());
  const server = parts.use(
    await ChildServer.start({
      dataDir,
      env: {
        STRONGROOM_JWT_SECRET: SECRET,
        STRONGROOM_MAX_UPLOAD_FILES: String(FORM_FILES),
      },
      ...(root !== undefined && { root }),
    }),
  );
  const client = await server.as(1);
  await fill(client);
  const lister: Lister = {
    name: root === undefined ? "console" : "former console",
    url: `${server.origin}/`,
    rows: "[role=grid] .grid-body .name",
    cookie: await sessionOf(server),
  };
  return { lister, client };
}

/** Starts a program that serves a directory, if it is installed. */
async function startProgram(
  parts: AsyncDisposableStack,
  { name, rows, args }: {
    readonly name: string;
    readonly rows: string;
    readonly args: (directory: string, port: string) => readonly string[];
  },
): Promise<Lister | undefined> {
  if (!await hasProgram(name, "--version")) {
    console.log(`${name} is not installed`);
    return undefined;
  }
  const { path } = parts.use(await TempDir.make());
  await Deno.mkdir(`${path}/files`);
  for (let index = 0; index < ROWS; index++) {
    await Deno.writeTextFile(`${path}/files/${nameOf(index)}`, "");
  }
  const port = freePort();
  const process = new Deno.Command(name, {
    args: [...args(`${path}/files`, String(port))],
    cwd: path,
    env: { HOME: path, XDG_CONFIG_HOME: path },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  parts.defer(async () => {
    process.kill("SIGTERM");
    await process.status;
  });
  await untilListening(port);
  return { name, url: `http://127.0.0.1:${port}/`, rows };
}

Deno.test({
  name: `C 24 ${ROWS} rows beside other file servers`,
  ignore: !HAS_BROWSER || Deno.build.os !== "linux",
  async fn() {
    await using parts = new AsyncDisposableStack();
    const { lister } = await startConsole(parts);
    const root = Deno.env.get("ROWS_ROOT");
    const others = root === undefined
      ? [
        await startProgram(parts, {
          name: "dufs",
          rows: ".paths-table tbody tr",
          args: (directory, port) => ["--bind", "127.0.0.1", "--port", port, directory],
        }),
        await startProgram(parts, {
          name: "copyparty",
          rows: "#files tbody tr",
          args: (directory, port) => ["-i", "127.0.0.1", "-p", port, "-v", `${directory}::r`, "-q"],
        }),
      ]
      : [(await startConsole(parts, root)).lister];
    const listers = [lister, ...others].filter((it) => it !== undefined);
    for (let round = 1; round <= ROUNDS; round++) {
      for (const it of listers) {
        const cost = await costOf(it);
        if (cost === undefined) {
          console.log(`${it.name}: no row within ${MAX_WAIT_MS / 1000} s`);
          continue;
        }
        const { firstRow, work, heap, memory } = cost;
        console.log(
          `${it.name}: first row after ${Math.round(firstRow)} ms and ${
            Math.round(work)
          } ms of a ` +
            `processor; heap ${Math.round(heap)} MiB, process ${Math.round(memory)} MiB`,
        );
      }
    }
  },
});

Deno.test({
  name: `C 24 ${CHANGES} changes of another client to ${ROWS} rows in ${CHANGES_S} s`,
  ignore: !HAS_BROWSER || Deno.build.os !== "linux",
  async fn() {
    await using parts = new AsyncDisposableStack();
    const { lister, client } = await startConsole(parts);
    for (let round = 0; round < ROUNDS; round++) {
      await withList(lister, async (page, _firstRow, processes) => {
        // What the list does once it is there is no matter of changes.
        await page.waitForTimeout(3000);
        await page.evaluate("rows.longest = 0");
        const task = await processes.longestTask(page, async () => {
          await makeChanges(client, round);
          await page.waitForTimeout(2000);
        });
        const frame = await page.evaluate<number>("rows.longest");
        console.log(
          `the longest frame took ${Math.round(frame)} ms, the longest task ${
            Math.round(task)
          } ms ` +
            "of a processor",
        );
      });
    }
  },
});
