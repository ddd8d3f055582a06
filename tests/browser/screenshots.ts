/** `deno task screenshots`: images of the console, to be looked at, and the two of the README. */

import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";
import { ROOT } from "../support/child_server.ts";
import { endBrowser, enterCredential, TestBrowser, WORKER } from "./browser.ts";
import { findWalk } from "./find_walk.ts";
import { foundTeam } from "./first_team.ts";
import { furnish, PLACES } from "./furnished.ts";
import { walk } from "./walk.ts";

const OUTPUT = `${ROOT}dist/screenshots`;
/** These are committed. */
const IMAGES = `${ROOT}docs/images`;
const HOSTILE = await Deno.readFile(`${ROOT}tests/fixtures/models/pickle/hostile/eval.pkl`);

await Deno.mkdir(OUTPUT, { recursive: true });
await Deno.mkdir(IMAGES, { recursive: true });
for (const colorScheme of ["light", "dark"] as const) {
  await shootReadme(colorScheme);
  for (const [size, width, height] of [["phone", 390, 844], ["wide", 1440, 900]] as const) {
    const options = { colorScheme, viewport: { width, height } };
    await shoot(`${colorScheme}-${size}`, options);
    await shootRooms(`${colorScheme}-${size}`, options);
    const stepsOf = (name: string) => {
      let count = 0;
      return async (page: Page, title: string) => {
        await page.waitForTimeout(700);
        const path = `${OUTPUT}/${name}-${++count}-${title}-${colorScheme}-${size}.png`;
        await page.screenshot({ path });
      };
    };
    await walk(options, { saved: `${OUTPUT}/walk.zip`, take: stepsOf("walk") });
    await findWalk(options, { saved: `${OUTPUT}/model.zip`, take: stepsOf("find") });
    await foundTeam(options, stepsOf("team"));
  }
}
await endBrowser();

/** The image of the README: a model that the gate blocks, and why. */
async function shootReadme(colorScheme: "light" | "dark"): Promise<void> {
  const viewport = { width: 1120, height: 610 };
  const options = { settings: { gate: "block" }, colorScheme, viewport } as const;
  await using browser = await TestBrowser.start(options);
  const client = await browser.server.as(1, ...WORKER);
  await client.upload("models", { "classifier.pkl": HOSTILE });
  const page = await browser.signIn({}, "#/file/models/classifier.pkl");
  await page.getByText("Imports and calls builtins.eval").waitFor();
  await page.getByText("The gate blocks this file").waitFor();
  await page.screenshot({ path: `${IMAGES}/console-${colorScheme}.png` });
}

/** Each room with something in it, and below what a window shows. */
async function shootRooms(
  name: string,
  { colorScheme, viewport: { width } }: {
    readonly colorScheme: "light" | "dark";
    readonly viewport: { readonly width: number };
  },
): Promise<void> {
  await using it = await furnish({ colorScheme, viewport: { width, height: 1600 } });
  for (const [room, hash, shown] of PLACES) {
    await it.page.goto("about:blank");
    await it.page.goto(`${it.browser.server.origin}/${hash}`);
    await shown(it.page);
    await it.page.waitForTimeout(700);
    await it.page.screenshot({ path: `${OUTPUT}/room-${room}-${name}.png` });
  }
}

async function shoot(
  name: string,
  options: Pick<NonNullable<Parameters<typeof TestBrowser.start>[0]>, "colorScheme" | "viewport">,
): Promise<void> {
  await using browser = await TestBrowser.start({ settings: { gate: "block" }, ...options });
  const client = await browser.server.as(1, ...WORKER);
  await client.upload("", { "README.md": "# Models", "notes.txt": "x".repeat(5000) });
  await client.upload("models/llama", {
    "config.json": "{}",
    "tokenizer.json": "{}",
    "training_args.bin": HOSTILE,
  });
  await client.upload("models/clip", { "config.json": "{}" });
  await client.mkdir("datasets");
  const page = await browser.open();
  let count = 0;
  const take = async (title: string) => {
    await page.waitForTimeout(700);
    await page.screenshot({ path: `${OUTPUT}/${++count}-${title}-${name}.png` });
  };
  await page.getByLabel("Credential").waitFor();
  await take("sign-in");
  await enterCredential(page);
  const danger = page.locator(".badge-dangerous").first();
  await danger.waitFor();
  await take("files");
  await page.goto(`${browser.server.origin}/#/files/models/llama`);
  await danger.waitFor();
  await page.getByRole("checkbox", { name: "Select config.json" }).check();
  await page.getByRole("checkbox", { name: "Select training_args.bin" }).check();
  await take("selected");
  await page.getByRole("button", { name: "Download" }).click();
  await take("refused");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Move" }).click();
  await take("move");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Delete" }).click();
  await take("delete");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Clear the selection" }).click();
  await page.locator("input[type=file]").first().setInputFiles([
    { name: "config.json", mimeType: "a/b", buffer: Buffer.alloc(10) },
    { name: "weights.safetensors", mimeType: "a/b", buffer: Buffer.alloc(3e6) },
  ]);
  await take("uploads");
  await page.goto(`${browser.server.origin}/#/files/datasets`);
  await take("empty");
  await page.reload();
  await client.send("POST", "/scans/", {
    query: { wait: "60" },
    headers: { "Content-Type": "application/json" },
    body: `{"path":"models"}`,
  });
  await page.getByRole("link", { name: "Scans" }).click();
  await take("scans");
  await page.getByRole("link", { name: "models", exact: true }).click();
  await take("report");
  await page.getByRole("link", { name: "models/llama/training_args.bin" }).click();
  await take("file");
  const rooms = page.getByRole("navigation", { name: "Rooms" });
  await rooms.getByRole("link", { name: "Storage" }).click();
  await page.getByRole("list", { name: "Sizes as areas" }).waitFor();
  await take("storage");
  await rooms.getByRole("link", { name: "Capacity" }).click();
  await page.waitForTimeout(6000);
  await take("capacity");
  await rooms.getByRole("link", { name: "Access" }).click();
  await take("access");
}
