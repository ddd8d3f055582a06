import type { Page } from "playwright-core";
import { ENDLESS } from "../support/endless_scanner.ts";
import { HubDouble } from "../support/hub_double.ts";
import { assertAccessibleInBoth } from "./axe.ts";
import { HAS_BROWSER, TestBrowser, WORKER } from "./browser.ts";
import { button, choose, row } from "./files_page.ts";
import { answered, assertStates, dialog, heading, region, type State, words } from "./states.ts";
import { notebook, PARQUET, png, safetensors, tar, zip } from "./preview_files.ts";

const HOSTILE = await Deno.readFile(
  new URL("../fixtures/models/pickle/hostile/eval.pkl", import.meta.url),
);
const ADMIN = [...WORKER, "resources.admin"];
const TENSOR = { dtype: "F16", shape: [512], data_offsets: [0, 1024] };

/** That the list of a folder shows some words. */
const listed = (shown: string) => ({ hash: "#/files/empty", then: words(shown) });

/** Opens the menu of a row, and chooses in it. */
function chosen(action: string) {
  return async (page: Page) => {
    await button(page, "Actions for notes.txt").click();
    await page.getByRole("menuitem", { name: action, exact: true }).click();
    await dialog(page);
  };
}

const FILES: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>> = {
  "notes.txt": "first\nsecond",
  "card.md":
    "# A\n\nWith `code`, [a link](notes.txt).\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\nx = 1  # y\n```",
  "rows.csv": "name,n\na,1\n",
  "config.json": '{"a":[1,true,null,"b"]}',
  "train.yaml": "a: 1\n",
  "a.ipynb": notebook([{ cell_type: "markdown", source: "# Title" }, {
    cell_type: "code",
    source: "x = 1",
    outputs: [{ output_type: "stream", text: ["1\n"] }],
  }]),
  "image.png": png(40, 20),
  "a.zip": zip({ "a/b.txt": "1" }),
  "a.tar": tar({ "c.txt": "2" }),
  "a.parquet": PARQUET,
  "m.safetensors": safetensors({ "model.layers.0.weight": TENSOR }),
  "program.py": "def run():\n    return 'x'  # why\n",
  "cut.gguf": "GGUF",
  "eval.pkl": HOSTILE,
};

/** What addresses show of a strongroom with files, scans, a link and a waiver, to an administrator. */
const SHOWN: readonly State[] = [
  ["a list", "#/files", words("Dangerous")],
  ["an empty folder", "#/files/empty", words("This folder is empty")],
  ["a folder that is not there", "#/files/none", heading("This folder does not exist")],
  ["no page", "#/nowhere", heading("Page not found")],
  ["a model", "#/model/model", region("Card")],
  ["a model that is not there", "#/model/none", words("not found")],
  ["no file", "#/file/none", heading("This file does not exist")],
  ...Object.entries({
    "notes.txt": "Text",
    "program.py": "Text",
    "card.md": "Document",
    "rows.csv": "Table",
    "config.json": "Structure",
    "train.yaml": "Keys",
    "a.ipynb": "Notebook",
    "image.png": "Image",
    "a.zip": "Members",
    "a.tar": "Members",
    "a.parquet": "Table",
    "m.safetensors": "Tensors",
    "cut.gguf": "Content",
    "eval.pkl": "Verdict",
  }).map(([path, part]): State => [path, `#/file/${path}`, region(part)]),
  ["scans", "#/scans", words("Nothing found")],
  ["a dangerous report", "#/scans/1", words("1 critical finding")],
  ["a clean report", "#/scans/2", words("Nothing was found.")],
  ["reports compared", "#/scans/compare/1/2", heading("Scans 1 and 2 compared")],
  ["no scan", "#/scans/abc", heading("There is no such scan")],
  ["the mirror", "#/mirror", words("Nothing has come in yet.")],
  ["a revision of another hub", "#/mirror/1", words("2 files are let through")],
  ["no revision of another hub", "#/mirror/99", words("The mirror has no revision 99")],
  ["capacity", "#/capacity", words("Pressure:")],
  ["access", "#/access", words("notes.txt")],
  ["history", "#/history/notes.txt", words("Replaced")],
  ["no history", "#/history/empty/none", words("Nothing has changed here")],
  ["versions compared", "#/compare?from=1", words("Replaced")],
  ["the trash", "#/trash", words("Delete for good")],
  ["tags", "#/tags", words("As agreed")],
  ["what was", "#/files?at=v1.0", words("As of “v1.0”")],
  ["a file that was", "#/file/notes.txt?at=v1.0", region("Text")],
  ["a version that is not kept", "#/files?at=999", words("Try again")],
  ["a shared tree", "#/files?tree=7", words("of seven.txt")],
];

/** What a person brings about there. */
const BROUGHT_ABOUT: readonly State[] = [
  ["a list on its way", "#/nowhere", answered("/resources/", "never", listed("Loading files…"))],
  [
    "a list that failed",
    "#/nowhere",
    answered("/resources/", "with an error", listed("Try again")),
  ],
  ["results", "#/files", async (page) => {
    await page.getByRole("searchbox").fill("notes");
    await page.getByText("1 match", { exact: true }).waitFor();
  }],
  ["no results", "#/files/empty", async (page) => {
    await page.getByRole("searchbox").fill("nowhere");
    await heading("Nothing matches")(page);
  }],
  ["models", "#/files?kind=model", async (page) => {
    await row(page, "model").getByText("mit").waitFor();
    await page.getByRole("combobox", { name: "License", exact: true }).waitFor();
  }],
  ["facts that are suggested", "#/files", async (page) => {
    await page.getByRole("searchbox").fill("mit");
    await page.getByRole("button", { name: "License: MIT" }).waitFor();
  }],
  ["a search that no server does", "#/files?parameters=many", words("Invalid parameters")],
  ["a selection", "#/files", async (page) => {
    await page.getByLabel("Select all").check();
    await words("items selected")(page);
  }],
  ["a verdict chosen", "#/files", async (page) => {
    await page.getByRole("button", { name: /^Dangerous \d/ }).click();
    await row(page, "notes.txt").waitFor({ state: "detached" });
  }],
  ["a menu", "#/files", async (page) => {
    await button(page, "Actions for notes.txt").click();
    await page.getByRole("menu").waitFor();
  }],
  ["a new folder", "#/files", async (page) => {
    await button(page, "New folder").click();
    await dialog(page);
  }],
  ["a name that is refused", "#/files", async (page) => {
    await button(page, "New folder").click();
    await page.getByLabel("Name", { exact: true }).fill("a/b");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("alert").waitFor();
  }],
  ...["Rename", "Move", "Copy", "Share", "Delete"].map((action): State => [
    action,
    "#/files",
    chosen(action),
  ]),
  ["the keys", "#/files", async (page) => {
    await page.getByRole("grid").focus();
    await page.keyboard.press("?");
    await dialog(page);
  }],
  ["a download that is dangerous", "#/file/eval.pkl", async (page) => {
    await button(page, "Download").click();
    await dialog(page);
  }],
  ["a waiver that is asked for", "#/file/eval.pkl", async (page) => {
    await button(page, "Waive…").click();
    await dialog(page);
  }],
  ["a new scan", "#/scans", async (page) => {
    await button(page, "New scan").click();
    await dialog(page);
  }],
  ["a repository that cannot be looked up", "#/mirror", async (page) => {
    await page.getByRole("searchbox").fill("no name");
    await button(page, "Look it up").click();
    await page.getByRole("alert").waitFor();
  }],
  ["files to fetch", "#/mirror/1", async (page) => {
    await button(page, "Fetch 2 files").click();
    await dialog(page);
  }],
  ["a new credential", "#/access", async (page) => {
    await button(page, "New credential").click();
    await dialog(page);
  }],
  ["a new waiver", "#/access", async (page) => {
    await button(page, "New waiver").click();
    await dialog(page);
  }],
  ["a restoration", "#/trash", async (page) => {
    await button(page, "Restore old.txt").click();
    await dialog(page);
  }],
  ["a new tag", "#/history/notes.txt", async (page) => {
    await button(page, "New tag…").click();
    await dialog(page);
  }],
  ["a choice of what was", "#/files", async (page) => {
    await button(page, "More actions for this folder").click();
    await page.getByRole("menuitem", { name: "As of…" }).click();
    await page.getByLabel("Tag").waitFor();
  }],
  ["another tree", "#/files", async (page) => {
    await page.getByLabel("Tree", { exact: true }).selectOption("Another tree…");
    await dialog(page);
  }],
  ["a conflict", "#/files", async (page) => {
    await choose(page, "Upload files", { name: "notes.txt", size: 3 });
    await words("There is a file of this name:")(page);
  }],
];

Deno.test({
  name: "C 24 axe-core finds nothing in any state of the console, in light and dark",
  ignore: !HAS_BROWSER,
  async fn(t) {
    await using hub = HubDouble.start();
    hub.add("google/gemma", { "config.json": "{}", "README.md": "# A model" });
    await using browser = await TestBrowser.start({
      settings: { gate: "mark", history: 86_400_000, mirrorUrl: hub.url },
    });
    const client = await browser.server.as(1, ...ADMIN);
    await client.upload("", { ...FILES, "notes.txt": "before", "old.txt": "old" });
    await client.json("POST", "/mirror/", { repository: "google/gemma" });
    await client.upload("model", {
      "README.md": "---\nlicense: mit\n---\n# A model",
      "eval.pkl": HOSTILE,
      "m.safetensors": safetensors({ weight: TENSOR }),
    });
    await client.json("POST", "/tags/", { name: "v1.0", path: "", message: "As agreed" });
    await client.put("notes.txt", "first\nsecond");
    await client.remove({ path: "old.txt" });
    await client.mkdir("empty");
    await (await browser.server.as(7)).upload("", { "of seven.txt": "7" });
    for (const path of ["eval.pkl", "notes.txt"]) {
      await client.json("POST", "/scans/?wait=60", { path });
    }
    await client.json("POST", "/links/", { path: "notes.txt", expires_in: "1d" });
    const page = await browser.signIn({ privileges: ADMIN });
    const goTo = (hash: string) => page.evaluate((it) => location.hash = it, hash);
    for (const [name, hash, show] of SHOWN) {
      await t.step(name, async () => {
        // Nothing of the former state is left, without the time that loading the console anew takes.
        await goTo("#/nowhere");
        await heading("Page not found")(page);
        await goTo(hash);
        await show(page);
        await assertAccessibleInBoth(page);
      });
    }
    await assertStates(t, page, BROUGHT_ABOUT);
    await t.step("signed out", async () => {
      await page.goto("about:blank");
      await page.goto(browser.server.origin);
      await button(page, "Sign out").click();
      await page.getByLabel("Credential").waitFor();
      await assertAccessibleInBoth(page);
    });
    await t.step("a credential that is refused", async () => {
      await page.getByLabel("Credential").fill("none");
      await button(page, "Sign in").click();
      await page.getByRole("alert").waitFor();
      await assertAccessibleInBoth(page);
    });
  },
});

Deno.test({
  name:
    "C 24 axe-core finds nothing where nothing is yet, where a scan goes on, and without rights",
  ignore: !HAS_BROWSER,
  async fn(t) {
    await using browser = await TestBrowser.start({ contents: ENDLESS });
    const client = await browser.server.as(1, ...WORKER);
    const page = await browser.signIn();
    const states: readonly (readonly [string, string, () => Promise<unknown>])[] = [
      ["first run", "#/files", () => heading("No files yet")(page)],
      ["no scans", "#/scans", () => heading("No scans yet")(page)],
      ["a scan that runs", "#/scans", async () => {
        await client.upload("", { "a.bin": "a" });
        await client.json("POST", "/scans/", { path: "a.bin" });
        await page.getByRole("progressbar").waitFor();
      }],
      ["a report that is not there yet", "#/scans/1", () => heading("Progress")(page)],
      ["a scan that was cancelled", "#/scans/1", async () => {
        await button(page, "Cancel").first().click();
        await button(page, "Remove").waitFor();
      }],
    ];
    for (const [name, hash, show] of states) {
      await t.step(name, async () => {
        await page.evaluate((it) => location.hash = it, hash);
        await show();
        await assertAccessibleInBoth(page);
      });
    }
    await t.step("a room that is not permitted", async () => {
      await button(page, "Sign out").click();
      const other = await browser.signIn({ privileges: ["resources.view"] }, "#/scans");
      await words("It needs the privilege")(other);
      await assertAccessibleInBoth(other);
    });
  },
});
