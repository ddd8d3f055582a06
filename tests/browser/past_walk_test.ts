import * as assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Client } from "../support/client.ts";
import { HfClient, HUB_VERSIONS } from "../support/hub_clients.ts";
import { RemoteClient } from "../support/remote_client.ts";
import { TempDir } from "../support/temp_dir.ts";
import { HAS_BROWSER, TestBrowser, WORKER } from "./browser.ts";
import { button, names, row } from "./files_page.ts";
import { choose, deleteRow, dialog, makeTag, replaceFile, showTag } from "./past_page.ts";

const FOLDER = "models/team/llama";
const FILES = { "config.json": "{}", "model.bin": "the first" };
const CHANGES = 100;

/** A folder goes by mistake, and comes back: at once, and then from the trash. */
async function getBack(page: Page): Promise<void> {
  await deleteRow(page, "team");
  await button(page, "Undo").click();
  await row(page, "team").waitFor();
  await deleteRow(page, "team");
  await choose(page, "More actions for this folder", "Trash");
  await page.getByRole("heading", { name: "Trash" }).waitFor();
  await page.getByText("in 2 files").first().waitFor();
  // It was deleted twice. The newest is first.
  await button(page, "Restore team").first().click();
  await button(dialog(page), "Restore").click();
  await page.getByText("The trash is empty").waitFor();
}

/** A model is replaced, compared with what it was, and that comes back. */
async function goBack(page: Page, text: () => Promise<string>): Promise<void> {
  await replaceFile(page, "model.bin", "a worse one");
  assert.equal(await text(), "a worse one");
  await button(page, "Close uploads").click();
  await choose(page, "Actions for model.bin", "History");
  await page.getByRole("heading", { name: "History of model.bin" }).waitFor();
  // The newest change is the replacement.
  await page.getByRole("checkbox", { name: /^Compare version/ }).nth(1).check();
  await page.getByRole("link", { name: /^Compare version \d+ with now$/ }).click();
  await page.getByText("1 replaced.").waitFor();
  await page.getByRole("link", { name: "Before" }).click();
  await page.getByText(`${FILES["model.bin"].length} bytes`).waitFor();
  await page.getByRole("region", { name: "The past" }).getByRole("button", { name: "Restore…" })
    .click();
  await dialog(page).getByLabel("Replace what is there").check();
  await button(dialog(page), "Restore").click();
  await page.getByText("Restored “model.bin”").waitFor();
  assert.equal(await text(), FILES["model.bin"]);
}

/** The release is downloaded by the console, the command line and, where it is installed, `hf`. */
async function download(page: Page, { server }: TestBrowser): Promise<void> {
  await showTag(page, "v1.0");
  await row(page, "config.json").waitFor();
  assert.deepEqual(await names(page), Object.keys(FILES));
  await row(page, "model.bin").getByRole("checkbox").check();
  const [downloaded] = await Promise.all([
    page.waitForEvent("download"),
    button(page, "Download").click(),
  ]);
  assert.equal(await Deno.readTextFile(await downloaded.path()), FILES["model.bin"]);
  await using home = await TempDir.make();
  const command = await RemoteClient.of(server, home.path);
  const got = await command.run(["get", "--at", "v1.0", FOLDER, `${home.path}/`], {
    narrow: false,
  });
  assert.equal(got.code, 0, got.stderr);
  assert.deepEqual(await filesIn(`${home.path}/llama`), FILES);
  const [version] = HUB_VERSIONS;
  if (version === undefined) return console.log("huggingface_hub is not installed");
  const hub = new HfClient(version, {
    endpoint: `${server.origin}/hub`,
    token: command.env["STRONGROOM_TOKEN"] ?? "",
    home: home.path,
  });
  const directory = `${home.path}/by-hub`;
  await hub.succeed("download", "team/llama", "--revision", "v1.0", "--local-dir", directory);
  assert.deepEqual(await filesIn(directory), FILES);
}

/** The texts of the files in a directory, without those that a client keeps for itself. */
async function filesIn(directory: string): Promise<Record<string, string>> {
  const found: [string, string][] = [];
  for await (const { name, isFile } of Deno.readDir(directory)) {
    if (isFile) found.push([name, await Deno.readTextFile(`${directory}/${name}`)]);
  }
  return Object.fromEntries(found.sort());
}

async function change(other: Client): Promise<void> {
  for (let count = 2; count < CHANGES; count++) {
    await other.put(`${FOLDER}/${count % 2 === 0 ? "model.bin" : "notes.txt"}`, `change ${count}`);
  }
  await other.remove({ path: `${FOLDER}/config.json` });
  await other.move({ source: `${FOLDER}/model.bin`, destination: `${FOLDER}/later.bin` });
}

Deno.test({
  name:
    "C 26 a new user gets a folder back, goes back to a former model, and downloads a release a hundred changes later",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start({ settings: { history: 86_400_000 } });
    const other = await browser.server.as(1, ...WORKER);
    await other.upload(FOLDER, FILES);
    const page = await browser.signIn({}, "#/files/models");
    await row(page, "team").waitFor();
    await getBack(page);
    await page.goto(`${browser.origin}/#/files/${FOLDER}`);
    await row(page, "model.bin").waitFor();
    await goBack(
      page,
      async () => new TextDecoder().decode(await other.bytes({ path: `${FOLDER}/model.bin` })),
    );
    await page.goto(`${browser.origin}/#/files/${FOLDER}`);
    await row(page, "model.bin").waitFor();
    await makeTag(page, "v1.0");
    await change(other);
    await row(page, "later.bin").waitFor();
    assert.deepEqual(await names(page), ["later.bin", "notes.txt"]);
    await download(page, browser);
  },
});
