import * as assert from "node:assert/strict";
import type { Page, Route } from "playwright-core";
import type { Client } from "../support/client.ts";
import { TempDir } from "../support/temp_dir.ts";
import { HAS_BROWSER, TestBrowser } from "./browser.ts";
import { button, choose, names, row } from "./files_page.ts";
import { begin, makeFile, uploadLimit } from "./slow_uploads.ts";

const ignore = !HAS_BROWSER;

/** A page of a person, and another program of the same person. */
function withOther(
  work: (page: Page, other: Client) => Promise<void>,
): () => Promise<void> {
  return async () => {
    await using browser = await TestBrowser.start({ limits: { maxUploadFiles: 50_000 } });
    const other = await browser.server.as(1);
    await work(await browser.signIn(), other);
  };
}

/** Uploads empty files, with the folders above them. */
async function makeFiles(client: Client, count: number, path: (index: number) => string) {
  const body = new FormData();
  for (let index = 0; index < count; index++) body.append("files", new Blob(), path(index));
  const { status, text } = await client.send("POST", "/resources/", {
    query: { paths: "keep" },
    body,
  });
  assert.equal(status, 200, text.slice(0, 500));
}

async function goTo(page: Page, hash: string): Promise<void> {
  await page.goto(`${page.url().replace(/#.*/, "")}${hash}`);
}

/** Holds the requests for an address but for the first one, until `release` is called. `held` waits for the second one. */
async function hold(page: Page, address: RegExp) {
  const released = Promise.withResolvers<void>();
  let [passed, seen] = [0, 0];
  const held = page.waitForRequest((request) => address.test(request.url()) && ++seen > 1);
  await page.route(address, async (route: Route) => {
    if (++passed > 1) await released.promise;
    // The page may have given it up.
    await route.continue().catch(() => {});
  });
  return { held, release: released.resolve };
}

Deno.test({
  name: "C 24 a search shows what it finds while it goes on, has no limit, and can be ended",
  ignore,
  fn: withOther(async (page, other) => {
    await makeFiles(other, 2500, (index) => `deep/${index % 7}/wanted-${10_000 + index}.txt`);
    await row(page, "deep").waitFor();
    const note = page.locator(".list-note");
    const { held, release } = await hold(page, /resources\/search\?q=WANTED/);
    await page.getByRole("searchbox").fill("WANTED txt");
    await held;
    await note.getByText("Searching… 1,000 matches so far").waitFor();
    assert.equal(await page.getByRole("grid").getAttribute("aria-rowcount"), "1001");
    await other.upload("deep/3", { "wanted-a.txt": "content" });
    await note.getByText("Searching… 1,001 matches so far").waitFor();
    release();
    await note.getByText("2,501 matches", { exact: true }).waitFor();
    assert.equal(await page.getByRole("grid").getAttribute("aria-rowcount"), "2502");
    await page.unroute(/resources\/search\?q=WANTED/);

    const again = await hold(page, /resources\/search\?q=wanted&/);
    await page.getByRole("searchbox").fill("wanted");
    await again.held;
    await note.getByText("Searching… 1,000 matches so far").waitFor();
    await button(page, "Stop").click();
    await note.getByText("Stopped after 1,000 matches").waitFor();
    again.release();
  }),
});

Deno.test({
  name: "C 24 a change of another client has the verdicts on changed files read, and no others",
  ignore,
  fn: withOther(async (page, other) => {
    await makeFiles(other, 400, (index) => `models/${index % 2}/${index}.txt`);
    await row(page, "models").waitFor();
    const asked: URL[] = [];
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (url.pathname.endsWith("/resources/verdicts")) asked.push(url);
    });
    const first = page.waitForResponse(/resources\/verdicts\?path=models/);
    await goTo(page, "#/files/models");
    await row(page, "0").waitFor();
    await first;
    asked.length = 0;
    const changed = page.waitForResponse(/resources\/verdicts/);
    await other.put("models/0/0.txt", "other content");
    await other.put("models/new.txt", "new");
    await row(page, "new.txt").waitFor();
    await changed;
    await row(page, "new.txt").getByText("Not scanned").waitFor();
    for (const { searchParams } of asked) {
      assert.deepEqual(searchParams.getAll("path"), []);
      const paths = searchParams.getAll("paths[]");
      assert.ok(paths.length > 0);
      for (const path of paths) assert.match(path, /^models\/(?:0\/0|new)\.txt$/);
    }
  }),
});

Deno.test({
  name: "C 24 21000 folders are a tree of visible rows, and what their verdicts lack is said",
  ignore,
  fn: withOther(async (page, other) => {
    for (const first of [10_000, 17_000, 24_000]) {
      await makeFiles(other, 7000, (index) => `f${first + index}/x.txt`);
    }
    await goTo(page, "#/files");
    await row(page, "f10000").waitFor();
    const tree = page.getByRole("tree", { name: "Folders" });
    await tree.getByRole("treeitem", { name: "f10000" }).waitFor();
    assert.ok(await tree.getByRole("treeitem").count() < 100);
    await tree.focus();
    await page.keyboard.press("End");
    const last = tree.getByRole("treeitem", { name: "f30999" });
    await last.waitFor();
    assert.equal(await last.getAttribute("aria-setsize"), "21000");
    assert.equal(await last.getAttribute("aria-posinset"), "21000");
    assert.equal(await tree.getAttribute("aria-activedescendant"), await last.getAttribute("id"));
    assert.ok(await tree.getByRole("treeitem").count() < 100);
    await page.keyboard.press("Enter");
    await row(page, "x.txt").waitFor();
    await page.goBack();
    await page.getByText("More than 20,000 files are below").waitFor();
  }),
});

Deno.test({
  name: "C 24 a move of a selection tells once what went, what did not, and why",
  ignore,
  fn: withOther(async (page, other) => {
    await makeFiles(other, 300, (index) => `from/${10_000 + index}.txt`);
    await other.upload("to", { "10007.txt": "there", "10270.txt": "there" });
    await goTo(page, "#/files/from");
    await row(page, "10000.txt").waitFor();
    await page.getByLabel("Select all").check();
    await button(page, "Move").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Folder", { exact: true }).fill("to");
    await dialog.getByRole("button", { name: "Move" }).click();
    await dialog.getByText("2 could not be moved").waitFor();
    await dialog.getByText("Moved 298 files to “to”.").waitFor();
    for (const name of ["10007.txt", "10270.txt"]) {
      await dialog.getByRole("row").filter({ hasText: `from/${name}` })
        .filter({ hasText: `“${name}” exists already` }).waitFor();
    }
    await dialog.getByRole("button", { name: "Close" }).click();
    await row(page, "10008.txt").waitFor({ state: "detached" });
    assert.deepEqual(await names(page), ["10007.txt", "10270.txt"]);
  }),
});

Deno.test({
  name: "C 24 a long delete shows how far it is, and can be stopped",
  ignore,
  fn: withOther(async (page, other) => {
    await makeFiles(other, 600, (index) => `many/${10_000 + index}.txt`);
    await goTo(page, "#/files/many");
    await row(page, "10000.txt").waitFor();
    const { held, release } = await hold(page, /resources\/delete/);
    await page.getByLabel("Select all").check();
    await button(page, "Delete").click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await held;
    const job = page.getByRole("region", { name: "Deleting 600 files" });
    await job.getByText("Deleting 600 files: 250 of 600").waitFor();
    await job.getByRole("button", { name: "Stop" }).click();
    release();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Deleted 500 files.").waitFor();
    await dialog.getByText("Stopped: 100 files were left as before.").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    assert.equal((await other.paths({ path: "many" })).length, 101);
  }),
});

Deno.test({
  name: "C 24 uploads into a folder that another client moves go where it is then",
  ignore,
  fn: withOther(async (page, other) => {
    await using directory = await TempDir.make();
    const path = `${directory.path}/weights.bin`;
    const content = await makeFile(path);
    await other.mkdir("models/a");
    await goTo(page, "#/files/models/a");
    await page.getByText("This folder is empty").waitFor();
    const limit = await uploadLimit(page);
    await begin(page, path, undefined, Promise.resolve(limit));
    await other.move({ source: "models", destination: "other" });
    await page.getByText("“models/a” was moved to “other/a”: 1 upload goes there").waitFor();
    await limit(undefined);
    await page.getByRole("strong").filter({ hasText: "Uploaded 1 file" }).waitFor();
    assert.deepEqual(await other.tree(), ["other", "other/a", "other/a/weights.bin"]);
    const stored = await other.bytes({ path: "other/a/weights.bin" });
    assert.ok(content.equals(stored));
  }),
});

/** Counts the nodes that the page changes in one go, and the files that it reads at once. */
const WORK = `{
  globalThis.work = { nodes: 0, reads: 0 };
  const { work } = globalThis;
  new MutationObserver((records) => {
    const nodes = records.reduce((sum, it) => sum + it.addedNodes.length + it.removedNodes.length, 0);
    work.nodes = Math.max(work.nodes, nodes);
  }).observe(document.body, { childList: true, subtree: true });
  const { arrayBuffer } = Blob.prototype;
  let reading = 0;
  Blob.prototype.arrayBuffer = async function () {
    work.reads = Math.max(work.reads, ++reading);
    try {
      return await arrayBuffer.call(this);
    } finally {
      reading--;
    }
  };
  FormData.prototype.append = () => {
    throw new Error("The browser would copy each file of a form in one go");
  };
}`;

/** Files are added as on a computer that needs 30 ms for each: the page works after each of them. */
const SLOWLY = `{
  const now = performance.now.bind(performance);
  let late = 0;
  performance.now = () => now() + (late += 30);
}`;

Deno.test({
  name: "C 24 a folder of 2000 files that is sent changes few nodes in one go, and reads few files",
  ignore,
  fn: withOther(async (page, other) => {
    await using directory = await TempDir.make();
    const folder = `${directory.path}/many`;
    await Deno.mkdir(folder);
    for (let index = 0; index < 2000; index++) {
      await Deno.writeTextFile(`${folder}/${10_000 + index}.txt`, "x");
    }
    await other.mkdir("many");
    await row(page, "many").waitFor();
    await page.evaluate(WORK);
    await page.evaluate(SLOWLY);
    const alone: string[] = [];
    page.on("request", (request) => {
      if (/\/files\/|\/uploads\//.test(request.url())) alone.push(request.url());
    });
    await choose(page, "Upload folder", folder);
    // They come into the list that is open.
    await goTo(page, "#/files/many");
    await page.getByRole("strong").filter({ hasText: "Uploaded 2,000 files" }).waitFor();
    await row(page, "10000.txt").waitFor();
    const { nodes, reads } = JSON.parse(await page.evaluate("JSON.stringify(work)"));
    assert.ok(nodes > 0 && nodes < 300, `${nodes} nodes in one go`);
    assert.ok(reads > 0 && reads <= 30, `${reads} files at once`);
    assert.deepEqual(alone, []);
  }),
});
