import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { Download } from "playwright-core";
import { ROOT } from "../support/child_server.ts";
import { hasProgram, run } from "../support/tools.ts";
import { TempDir } from "../support/temp_dir.ts";
import { settledVerdicts } from "../support/verdicts.ts";
import { HAS_BROWSER, TestBrowser, WORKER } from "./browser.ts";
import { button, row } from "./files_page.ts";

const HOSTILE = await Deno.readFile(`${ROOT}tests/fixtures/models/pickle/hostile/eval.pkl`);
/** More than one request names. */
const FILES = 1100;

type Content = string | Uint8Array<ArrayBuffer>;

/** The names in a ZIP that the browser has saved, sorted. */
async function namesIn(download: Download, directory: string): Promise<string[]> {
  const path = `${directory}/${crypto.randomUUID()}.zip`;
  await download.saveAs(path);
  const { code, stdout } = await run("unzip", ["-Z1", path]);
  assert.equal(code, 0);
  return stdout.trim().split("\n").sort();
}

Deno.test({
  name: "C 18 and C 24 of any number of files, the console downloads those that the gate admits",
  ignore: !HAS_BROWSER || !await hasProgram("unzip", "-v"),
  async fn() {
    await using directory = await TempDir.make();
    await using browser = await TestBrowser.start({
      settings: { gate: "block" },
      limits: { maxUploadFiles: 2 * FILES },
    });
    const client = await browser.server.as(1, ...WORKER);
    const upload = async (path: string, files: Readonly<Record<string, Content>>) => {
      const { status, text } = await client.upload(path, files);
      assert.equal(status, 200, text);
    };
    const many = (name: string): [string, Content][] =>
      Array.from({ length: FILES }, (_, index) => [`${name}${index}.json`, "{}"]);
    await upload("m", { "bad.pkl": HOSTILE });
    const page = await browser.signIn();
    await row(page, "m").getByText("1 dangerous").waitFor();
    // The scans of so many files would take long.
    const sha256 = createHash("sha256").update("{}").digest("hex");
    const waiver = await (await browser.server.admin()).json("POST", "/waivers/", {
      sha256,
      reason: "empty",
    });
    assert.equal(waiver.status, 200, waiver.text);
    await upload("m", Object.fromEntries(many("a")));
    await upload("m/clean", Object.fromEntries(many("b")));
    await row(page, "m").getByRole("checkbox").check();
    await button(page, "Download").click();
    const saved: Download[] = [];
    const { promise: bothSaved, resolve } = Promise.withResolvers<void>();
    page.on("download", (download) => {
      if (saved.push(download) === 2) resolve();
    });
    const others = `Download the other ${(2 * FILES).toLocaleString("en-US")} files in 2 archives`;
    await page.getByRole("dialog").getByRole("button", { name: others }).click();
    await bothSaved;
    const found = await Promise.all(saved.map((it) => namesIn(it, directory.path)));
    assert.deepEqual(
      found.flat().sort(),
      [...many("m/a"), ...many("m/clean/b")].map(([path]) => path).sort(),
    );
  },
});

Deno.test({
  name: "C 18 and C 24 an open list, search and page of a file follow waivers",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start({ settings: { gate: "block" } });
    const { server } = browser;
    const [client, admin] = [await server.as(1, ...WORKER), await server.admin()];
    await client.upload("", { "bad.pkl": HOSTILE });
    await settledVerdicts(client);
    const list = await browser.signIn();
    const [search, page] = [
      await browser.open("#/files?q=bad"),
      await browser.open("#/file/bad.pkl"),
    ];
    const isBlocked = async (expected: boolean) => {
      const state = expected ? "visible" : "hidden";
      for (const it of [list, search]) {
        await row(it, "bad.pkl").getByText("Dangerous").waitFor();
        await row(it, "bad.pkl").getByText("Blocked").waitFor({ state });
      }
      await button(page, "Download").waitFor({ state: expected ? "hidden" : "visible" });
    };
    await isBlocked(true);
    const sha256 = createHash("sha256").update(HOSTILE).digest("hex");
    const { status, text } = await admin.json("POST", "/waivers/", { sha256, reason: "reviewed" });
    assert.equal(status, 200, text);
    await isBlocked(false);
    await admin.send("DELETE", `/waivers/${JSON.parse(text).data.id}`);
    await isBlocked(true);
  },
});
