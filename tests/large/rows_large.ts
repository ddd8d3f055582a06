/**
 * `deno task test:rows`: a folder of 100 000 files in a browser, beside dufs and copyparty in turn: when the first
 * row is there, and the memory of the page; then, in the console, the longest frame while another client makes 36
 * changes in 15 s. The variable ROWS_ROOT names another checkout, whose console is measured too. Needs chromium;
 * dufs and copyparty are measured if they are installed. Measure on a machine that does nothing else.
 */

import * as assert from "node:assert/strict";
import { type CDPSession, chromium, type Page } from "playwright-core";
import { ChildServer } from "../support/child_server.ts";
import type { Client } from "../support/client.ts";
import { freePort } from "../support/ports.ts";
import { SECRET } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram } from "../support/tools.ts";
import { until } from "../support/until.ts";
import { CHROMIUM_OPTIONS, HAS_BROWSER, sessionOf } from "../browser/browser.ts";

const ROWS = 100_000;
const ROUNDS = 3;
const CHANGES = 36;
const CHANGES_S = 15;
/** How long a page may take until its first row is there. */
const MAX_WAIT_MS = 240_000;
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
  /** The longest frame until then, and of the three seconds after it. */
  readonly longestFrame: number;
  /** The heap of the page's script, without garbage, and the memory of its process, in MiB. */
  readonly heap: number;
  readonly memory: number;
}

/** Notes when the first row is painted, and the longest frame. */
const WATCH = (rows: string) =>
  `{
  let before = performance.now();
  globalThis.rows = { first: 0, longest: 0 };
  const frame = () => {
    const now = performance.now();
    rows.longest = Math.max(rows.longest, now - before);
    before = now;
    if (rows.first === 0 && document.querySelector(${
    JSON.stringify(rows)
  }) !== null) rows.first = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}`;

async function measure(
  { url, rows, cookie }: Lister,
  work: (page: Page) => Promise<void> = () => Promise.resolve(),
): Promise<Cost> {
  // A browser of its own: no cache, and no memory of others.
  const browser = await chromium.launch(CHROMIUM_OPTIONS);
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    if (cookie !== undefined) await context.addCookies([cookie]);
    const page = await context.newPage();
    await page.addInitScript(WATCH(rows));
    await page.goto(url, { waitUntil: "commit", timeout: MAX_WAIT_MS });
    const deadline = performance.now() + MAX_WAIT_MS;
    while (await page.evaluate<number>("rows.first") === 0) {
      if (performance.now() > deadline) {
        return { firstRow: Infinity, longestFrame: NaN, heap: NaN, memory: NaN };
      }
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    const firstRow = await page.evaluate<number>("rows.first");
    await page.waitForTimeout(3000);
    const longestFrame = await page.evaluate<number>("rows.longest");
    await work(page);
    const session = await context.newCDPSession(page);
    const { heap, memory } = await memoryOf(session, await browser.newBrowserCDPSession());
    return { firstRow, longestFrame, heap, memory };
  } finally {
    await browser.close();
  }
}

async function memoryOf(page: CDPSession, browser: CDPSession) {
  await page.send("HeapProfiler.collectGarbage");
  const { usedSize } = await page.send("Runtime.getHeapUsage");
  const { processInfo } = await browser.send("SystemInfo.getProcessInfo");
  let bytes = 0;
  for (const { type, id } of processInfo) {
    if (type !== "renderer") continue;
    const status = await Deno.readTextFile(`/proc/${id}/status`);
    bytes = Math.max(bytes, Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? Number.NaN) * 1024);
  }
  return { heap: usedSize / 2 ** 20, memory: bytes / 2 ** 20 };
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

/** The longest frame while the changes are made, in milliseconds. */
async function changesIn(page: Page, client: Client, round: number): Promise<number> {
  await page.evaluate("rows.longest = 0");
  await makeChanges(client, round);
  await page.waitForTimeout(2000);
  return await page.evaluate<number>("rows.longest");
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
        STRONGROOM_MAX_UPLOAD_REQUEST_SIZE: "100000000",
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
  const port = String(freePort());
  const process = new Deno.Command(name, {
    args: [...args(`${path}/files`, port)],
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
  const url = `http://127.0.0.1:${port}/`;
  await until(async () => {
    const reply = await fetch(url, { method: "HEAD" }).catch(() => undefined);
    await reply?.body?.cancel();
    return reply !== undefined;
  });
  return { name, url, rows };
}

Deno.test({
  name: `C 24 ${ROWS} rows beside other file servers, and while another client changes some`,
  ignore: !HAS_BROWSER || Deno.build.os !== "linux",
  async fn() {
    await using parts = new AsyncDisposableStack();
    const { lister, client } = await startConsole(parts);
    const former = Deno.env.get("ROWS_ROOT");
    const listers = [
      lister,
      former === undefined ? undefined : (await startConsole(parts, former)).lister,
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
    ].filter((it) => it !== undefined);
    for (let round = 1; round <= ROUNDS; round++) {
      for (const it of listers) {
        let duringChanges = "";
        const cost = await measure(it, async (page) => {
          if (it !== lister) return;
          const longest = await changesIn(page, client, round);
          duringChanges = `; ${CHANGES} changes: longest frame ${Math.round(longest)} ms`;
        });
        console.log(
          `round ${round}, ${it.name}: first row after ${
            Math.round(cost.firstRow)
          } ms, longest frame ` +
            `${Math.round(cost.longestFrame)} ms, heap ${Math.round(cost.heap)} MiB, ` +
            `process ${Math.round(cost.memory)} MiB${duringChanges}`,
        );
      }
    }
  },
});
