/**
 * `deno task lighthouse`: what Lighthouse says of the console on a phone. It is not a test: the score for
 * speed depends on the load of the machine, and Lighthouse sometimes times out. Needs `npm install -g lighthouse@12` and chromium.
 */

import * as v from "valibot";
import { TempDir } from "../support/temp_dir.ts";
import { run } from "../support/tools.ts";
import { settledVerdicts } from "../support/verdicts.ts";
import { CHROMIUM_OPTIONS, endBrowser, sessionOf, TestBrowser } from "./browser.ts";

const CATEGORIES = ["performance", "accessibility", "best-practices"] as const;
const PLACES = ["files", "file/notes.txt", "scans"];
const MIN_SCORE = 0.95;

const Report = v.object({
  categories: v.object(
    v.entriesFromList(CATEGORIES, v.object({ score: v.nullable(v.number()) })),
  ),
});

let isPoor = false;
{
  await using browser = await TestBrowser.start({ settings: { gate: "mark" } });
  const client = await browser.server.as(1);
  await client.upload("", { "notes.txt": "notes", "config.json": "{}" });
  await settledVerdicts(client);
  const { name, value } = await sessionOf(browser.server);
  await using directory = await TempDir.make();
  const headers = `${directory.path}/headers.json`;
  await Deno.writeTextFile(headers, JSON.stringify({ Cookie: `${name}=${value}` }));
  const output = `${directory.path}/report.json`;
  for (const place of PLACES) {
    const { code, stderr } = await run("lighthouse", [
      `${browser.origin}/#/${place}`,
      "--quiet",
      "--output=json",
      `--output-path=${output}`,
      `--extra-headers=${headers}`,
      `--only-categories=${CATEGORIES.join()}`,
      "--chrome-flags=--headless --no-sandbox",
      "--no-enable-error-reporting",
    ], { env: { CHROME_PATH: CHROMIUM_OPTIONS.executablePath } });
    if (code !== 0) throw new Error(`Lighthouse has failed for ${place}: ${stderr}`);
    const { categories } = v.parse(Report, JSON.parse(await Deno.readTextFile(output)));
    const scores = CATEGORIES.map((it) => [it, categories[it].score ?? 0] as const);
    console.log(`${place}: ${scores.map(([it, score]) => `${it} ${score}`).join(", ")}`);
    isPoor ||= scores.some(([, score]) => score < MIN_SCORE);
  }
}
await endBrowser();
if (isPoor) Deno.exit(1);
