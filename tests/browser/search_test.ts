import * as assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Client } from "../support/client.ts";
import { modelFile } from "../support/models.ts";
import { until } from "../support/until.ts";
import { settledVerdicts, verdictsOf } from "../support/verdicts.ts";
import { assertAccessibleInBoth } from "./axe.ts";
import { HAS_BROWSER, TestBrowser, WORKER } from "./browser.ts";
import { button, goBack, names, row } from "./files_page.ts";
import { safetensors } from "./preview_files.ts";

/** A model with so many parameters of half a precision. */
function model(
  parameters: number,
  license: string,
): Record<string, string | Uint8Array<ArrayBuffer>> {
  const header = safetensors({
    weight: { dtype: "F16", shape: [parameters], data_offsets: [0, 2 * parameters] },
  });
  return {
    "README.md": `---\nlicense: ${license}\npipeline_tag: text-generation\n---\n# A model\n`,
    "config.json": JSON.stringify({ model_type: parameters > 100 ? "llama" : "bert" }),
    "model.safetensors": new Uint8Array([...header, ...new Uint8Array(2 * parameters)]),
  };
}

/** Tells how often what is asked for, as the page says it, is searched for. */
function searches(page: Page): URLSearchParams[] {
  const asked: URLSearchParams[] = [];
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.endsWith("/resources/search")) asked.push(searchParams);
  });
  return asked;
}

const hashOf = (page: Page) => page.evaluate<string>("location.hash");
const fact = (page: Page, name: string) => page.getByRole("combobox", { name, exact: true });
const narrow = (page: Page) => page.getByRole("region", { name: "Narrow the search down" });

async function withModels(
  work: (page: Page, other: Client, browser: TestBrowser) => Promise<void>,
  viewport = { width: 1280, height: 800 },
) {
  await using browser = await TestBrowser.start({
    settings: { gate: "mark", history: 86_400_000 },
    viewport,
  });
  const other = await browser.server.as(1, ...WORKER);
  await other.upload("models/acme/small", model(100, "mit"));
  await other.upload("models/acme/large", model(400, "apache-2.0"));
  await other.upload("models/acme/free", model(300, "mit"));
  await other.upload("models/acme/evil", {
    "weights.pkl": await modelFile("pickle/hostile/eval.pkl"),
  });
  await other.upload("notes", { "free.txt": "nothing" });
  await settledVerdicts(other);
  await work(await browser.signIn(), other, browser);
}

Deno.test({
  name: "C 29 a model is found in the console by three facts, with counts, by an address to share",
  ignore: !HAS_BROWSER,
  fn: () =>
    withModels(async (page) => {
      await row(page, "models").waitFor();
      await button(page, "Find models").click();
      await page.getByText("4 matches").waitFor();
      await fact(page, "License").getByRole("option", { name: "MIT (2)" }).waitFor({
        state: "attached",
      });
      assert.deepEqual(await fact(page, "License").locator("option").allTextContents(), [
        "Any",
        "MIT (2)",
        "Apache-2.0 (1)",
      ]);
      await fact(page, "License").selectOption("MIT");
      await page.getByText("2 matches").waitFor();
      await fact(page, "Architecture").selectOption("llama");
      await page.getByText("1 match", { exact: true }).waitFor();
      await fact(page, "Format").selectOption("safetensors");
      await row(page, "free").getByText("300 · float16 · safetensors · llama · mit").waitFor();
      await row(page, "free").getByText("Clean").waitFor();
      assert.deepEqual(await names(page), ["models/acme/free"]);
      assert.equal(
        await hashOf(page),
        "#/files?kind=model&format=safetensors&license=MIT&architecture=llama",
      );
      // Another value can be chosen instead.
      await fact(page, "License").selectOption("Apache-2.0");
      await row(page, "large").waitFor();
      const shared = await page.context().newPage();
      await shared.goto(page.url());
      await row(shared, "large").waitFor();
      await shared.close();
      await row(page, "large").getByRole("link").first().click();
      await page.getByRole("heading", { name: "large", level: 1 }).waitFor();
      assert.equal(await hashOf(page), "#/model/models/acme/large");
      const [saved] = await Promise.all([
        page.waitForEvent("download"),
        button(page, "Download").click(),
      ]);
      assert.equal(saved.suggestedFilename(), "large.zip");
      await page.getByRole("link", { name: "Versions" }).click();
      await page.getByText("Added this folder").waitFor();
      await goBack(page);
      await page.getByRole("heading", { name: "large", level: 1 }).waitFor();
      await goBack(page);
      await row(page, "large").waitFor();
      await button(page, "Clear").click();
      await row(page, "notes").waitFor();
      assert.equal(await hashOf(page), "#/files");
      assert.equal(await narrow(page).count(), 0);
    }),
});

Deno.test({
  name: "C 29 the console suggests facts for words as they are typed, by keyboard too",
  ignore: !HAS_BROWSER,
  fn: () =>
    withModels(async (page) => {
      await row(page, "models").waitFor();
      await page.keyboard.press("/");
      await page.keyboard.type("acme apa");
      const suggestions = page.getByRole("group", { name: "Suggestions" });
      const license = suggestions.getByRole("button", { name: "License: Apache-2.0" });
      await license.waitFor();
      assert.equal(await suggestions.getByRole("button").count(), 1);
      await license.focus();
      await page.keyboard.press("Enter");
      await row(page, "large").waitFor();
      assert.equal(await page.getByRole("searchbox").inputValue(), "acme");
      assert.equal(await hashOf(page), "#/files?q=acme&kind=model&license=Apache-2.0");
      // What was found before is shown until the reply.
      await until(async () => (await names(page)).join() === "models/acme/large");
    }),
});

Deno.test({
  name: "C 29 what the console has found follows the tree and its facts, without asking for each",
  ignore: !HAS_BROWSER,
  fn: () =>
    withModels(async (page, other, browser) => {
      await page.goto(`${browser.server.origin}/#/files?kind=model&license=MIT`);
      await page.getByText("2 matches").waitFor();
      const asked = searches(page);
      for (let index = 0; index < 20; index++) {
        await other.upload(`models/many/m${index}`, model(101 + index, "mit"));
      }
      await page.getByText("22 matches").waitFor();
      // Each upload and each verdict has an event.
      assert.ok(asked.length < 60, `${asked.length} searches`);
      await other.upload("models/acme/new", model(100, "bsd-3-clause"));
      await fact(page, "License").getByRole("option", { name: "BSD-3-Clause" }).waitFor({
        state: "attached",
      });
      await other.move({ source: "models/acme/small", destination: "models/acme/tiny" });
      await row(page, "tiny").waitFor();
      assert.equal(await row(page, "small").count(), 0);
      await other.remove({ path: "models/acme/free" });
      await row(page, "free").waitFor({ state: "detached" });
      await page.getByText("21 matches").waitFor();
      await other.put(
        "models/acme/large/README.md",
        "---\nlicense: mit\n---\n# It is free now\n",
      );
      await row(page, "large").waitFor();
    }),
});

Deno.test({
  name: "C 29 on a phone, the choices of facts open on request, and rows show facts and verdicts",
  ignore: !HAS_BROWSER,
  fn: () =>
    withModels(async (page, _, browser) => {
      await page.goto(`${browser.server.origin}/#/files?kind=model&architecture=llama`);
      await row(page, "large").getByText("400 · float16").waitFor();
      await row(page, "large").getByText("Clean").waitFor();
      assert.equal(await fact(page, "License").count(), 0);
      await assertAccessibleInBoth(page);
      await button(page, "Facts").click();
      await fact(page, "License").selectOption("MIT");
      await page.getByText("1 match", { exact: true }).waitFor();
      await assertAccessibleInBoth(page);
      const overflow = "document.documentElement.scrollWidth > innerWidth";
      assert.equal(await page.evaluate(overflow), false);
      await button(page, "Facts").click();
      await narrow(page).getByRole("button", { name: /^llama/ }).click();
      await row(page, "small").waitFor();
    }, { width: 360, height: 740 }),
});

Deno.test({
  name: "C 29 where nothing was scanned, the console says that facts come with scans, and runs one",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start();
    const client = await browser.server.as(1);
    await client.upload("mine/small", model(100, "mit"));
    const page = await browser.signIn();
    await button(page, "Find models").click();
    await page.getByRole("heading", { name: "Nothing matches" }).waitFor();
    await assertAccessibleInBoth(page);
    await button(page, "Scan all that is here").click();
    await page.waitForURL(/#\/scans\/1$/);
    await until(async () =>
      [...(await verdictsOf(client)).values()].every(({ verdict }) => verdict !== "unscanned")
    );
    await page.getByRole("link", { name: "Files", exact: true }).click();
    await button(page, "Find models").click();
    await row(page, "small").getByText("100 · float16 · safetensors").waitFor();
  },
});

Deno.test({
  name:
    "C 29 where too much would have to be looked at, the console says why facts are not counted",
  ignore: !HAS_BROWSER,
  fn: () =>
    withModels(async (page) => {
      await row(page, "models").waitFor();
      await page.route((url) => url.pathname.endsWith("/resources/search"), async (route) => {
        const response = await route.fetch();
        const { data } = await response.json();
        await route.fulfill({ response, json: { data: { ...data, facets: null } } });
      });
      await page.getByRole("searchbox").fill("sm");
      await row(page, "small").waitFor();
      await narrow(page).getByText(/^Not counted: too much would have to be looked at/).waitFor();
      await page.unrouteAll({ behavior: "ignoreErrors" });
    }),
});
