/** The day of a person at the console, from signing in to signing out. */

import * as assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { TempDir } from "../support/temp_dir.ts";
import { credentialOf, TestBrowser, WORKER } from "./browser.ts";
import type { Person } from "./person.ts";

const HOSTILE = new URL("../fixtures/models/pickle/hostile/eval.pkl", import.meta.url);

/** Lets a person do all of it, and asserts that the focus is where it is expected, and what the tree is like then. */
export async function spendDay(who: (page: Page) => Person | Promise<Person>): Promise<void> {
  await using directory = await TempDir.make();
  const folder = `${directory.path}/model`;
  await Deno.mkdir(folder);
  const names = ["card.txt", "config.txt", "notes.txt"];
  for (const name of names) await Deno.writeTextFile(`${folder}/${name}`, "newer");
  await using browser = await TestBrowser.start({ settings: { gate: "mark" } });
  const client = await browser.server.as(1, ...WORKER);
  await client.upload("model", Object.fromEntries(names.map((name) => [name, "as before"])));
  await client.upload("old", { "eval.pkl": await Deno.readFile(HOSTILE) });
  const scan = await client.json("POST", "/scans/?wait=60", { path: "old" });
  assert.equal(scan.status, 202, scan.text);
  const page = await browser.context.newPage();
  await page.addInitScript(
    `for (const type of ["pointerdown", "mousedown"]) {
      addEventListener(type, () => window.hasPointed = true, { capture: true });
    }`,
  );
  await page.goto(browser.server.origin);
  const person = await who(page);
  const text = async (path: string) => new TextDecoder().decode(await client.bytes({ path }));

  // Sign in.
  await person.isAt("textbox", "Credential");
  await person.write("textbox", "Credential", await credentialOf());
  await person.use("button", "Sign in");
  await person.isAt("main");

  // Find a file, and read why it is dangerous.
  await person.write("searchbox", "Search in this folder and below", "eval");
  await person.hears("1 match");
  await person.open("old/eval.pkl");
  await person.hears("Imports and calls builtins.eval");
  await person.isAt("main");
  await person.use("link", "Full report of scan 1");
  await person.hears("1 critical finding in 1 file.");
  await person.isAt("main");
  await person.use("link", "Files");
  await person.isAt("link", "Files");

  // Upload a folder, and answer what is to become of files that are there.
  const chooser = page.waitForEvent("filechooser");
  await person.use("button", "Upload folder");
  await (await chooser).setFiles(folder);
  await person.isAt("button", "Upload folder");
  await person.hears("3 files are there already");
  await person.use("button", "Skip card.txt");
  await person.isAt("button", "config.txt");
  await person.use("button", "Keep both config.txt");
  await person.isAt("button");
  await person.use("button", "Replace notes.txt");
  await person.hears("Uploaded 2 files");
  await person.isAt("button");
  await person.use("button", "Close uploads");
  await person.isAt("grid");
  assert.equal(await text("model/card.txt"), "as before");
  assert.equal(await text("model/config.txt"), "as before");
  assert.equal(await text("model/config (2).txt"), "newer");
  assert.equal(await text("model/notes.txt"), "newer");

  // Rename, and move and take that back.
  await person.open("model");
  await person.isAt("grid");
  await person.choose("config (2).txt", "Rename");
  await person.isAt("textbox", "New name");
  await person.write("textbox", "New name", "settings.txt");
  await person.use("button", "Rename");
  await person.isAt("grid");
  await person.choose("settings.txt", "Move");
  await person.isAt("textbox", "Folder");
  await person.write("textbox", "Folder", "old");
  await person.use("button", "Move");
  await person.hears("Moved “settings.txt” to “old”");
  await person.isAt("grid");
  await person.undo();
  await person.hears("Undone: “settings.txt”");
  await person.isAt("grid");

  // Share.
  await person.choose("notes.txt", "Share");
  await person.isAt("combobox", "The link ends after");
  await person.use("button", "Make a link");
  await person.isAt("textbox", "Address");
  const reply = await fetch(await page.getByLabel("Address").inputValue());
  assert.equal(await reply.text(), "newer");
  await person.use("button", "Cancel");
  await person.isAt("grid");

  // Delete one, then all that is left.
  for (const name of ["config.txt", "settings.txt", "card.txt", "notes.txt"]) {
    await person.choose(name, "Delete");
    await person.isAt("button", "Cancel");
    await person.use("button", "Delete");
    await person.hears(`Deleted “${name}”`);
    await person.isAt(name === "notes.txt" ? "main" : "grid");
  }
  await person.hears("This folder is empty");
  assert.deepEqual(await client.tree(), ["model", "old", "old/eval.pkl"]);

  // Sign out.
  await person.use("button", "Sign out");
  await person.isAt("textbox", "Credential");
  assert.equal(await page.evaluate("window.hasPointed"), undefined);
}
