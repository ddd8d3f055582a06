import * as assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { parsePolicy } from "../../core/policy/parse.ts";
import { HubDouble } from "../support/hub_double.ts";
import { download, mirrorClient } from "../support/mirroring.ts";
import { modelFile } from "../support/models.ts";
import { assertAccessible, assertAccessibleInBoth } from "./axe.ts";
import { type BrowserOptions, HAS_BROWSER, TestBrowser, WORKER } from "./browser.ts";
import { button } from "./files_page.ts";

const USER = [...WORKER, "mirror.use"];
const ADMIN = [...USER, "resources.admin"];
const KIB = 1024;
const MIB = KIB * KIB;

const RULE = { name: "no-programs", deny: "Programs come from elsewhere", file: "*.exe" };

/** A browser at a server that mirrors a double of another hub. */
async function started(options: BrowserOptions = {}) {
  await using parts = new AsyncDisposableStack();
  const double = parts.use(HubDouble.start());
  const policy = parsePolicy({ rule: [RULE] });
  if ("problem" in policy) throw new Error(policy.problem);
  const commit = double.add("google/gemma", {
    "config.json": "{}",
    "setup.exe": "MZ",
    "eval.pkl": { content: await modelFile("pickle/hostile/eval.pkl") },
  });
  const { settings, upstream, ...others } = options;
  const browser = parts.use(
    await TestBrowser.start({
      ...{ policy, ...others },
      settings: {
        ...{ mirrorUrl: double.url, mirrorHosts: [double.contentHost], mirrorFresh: 0 },
        ...{ gate: "block", mirrorMaxBytes: MIB, ...settings },
      },
      upstream: { retryMs: 1, restMs: 600_000, ...upstream },
    }),
  );
  const owned = parts.move();
  return {
    double,
    browser,
    commit: commit.slice(0, 12),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const region = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

async function lookUp(page: Page, name: string): Promise<void> {
  await page.getByRole("searchbox", { name: "Repository" }).fill(name);
  await button(page, "Look it up").click();
}

Deno.test({
  name:
    "C 28: the room Mirror says what would happen to a repository, and fetches nothing for that",
  ignore: !HAS_BROWSER,
  async fn(t) {
    await using parts = await started();
    const { double, browser } = parts;
    const page = await browser.signIn({ privileges: USER });
    await page.getByRole("link", { name: "Mirror" }).click();
    await page.getByText("The other hub: Not asked yet").waitFor();
    await region(page, "What is here").getByText("Nothing has come in yet.").waitFor();
    await assertAccessible(page);

    await t.step("C 28 each file with its outcome, the rule and its words", async () => {
      await lookUp(page, "google/gemma");
      await page.getByRole("heading", { name: "google/gemma", level: 1 }).waitFor();
      await page.getByText(/^1 file is refused \(2 bytes\), .* let through/).waitFor();
      const refused = page.getByRole("row").filter({ hasText: "setup.exe" });
      await refused.getByText("by no-programs").waitFor();
      await refused.getByText("Programs come from elsewhere").waitFor();
      assert.equal(await refused.getByRole("button").count(), 0);
      await assertAccessible(page);
      const files = double.requests.filter(({ path }) => path.includes("/resolve/"));
      assert.deepEqual(files, []);
    });
    await t.step("C 28 what is missing, and what is no name", async () => {
      await page.getByRole("link", { name: "Mirror" }).first().click();
      await lookUp(page, "nobody/nothing");
      await page.getByRole("alert").getByText(/nothing.* not found|Not found/).waitFor();
      await lookUp(page, "not a name");
      await page.getByRole("alert").getByText(/is not the name of a repository/).waitFor();
      await lookUp(page, `${double.url}/datasets/google/none/tree/main`);
      await page.getByRole("alert").getByText(/Not found/).waitFor();
      await assertAccessible(page);
    });
    await t.step("C 28 who may use the mirror fetches what is let through", async () => {
      await lookUp(page, "google/gemma@main");
      await button(page, "Fetch config.json").click();
      await button(page, "Fetch").click();
      await page.getByText("Fetched 1 file of google/gemma").waitFor();
      const row = page.getByRole("row").filter({ hasText: "config.json" });
      await row.getByText("Let through").waitFor();
      await button(page, "Fetch 1 file").waitFor();
      assert.equal(await button(page, "Pin").count(), 0);
    });
    await t.step("C 28 without the privilege, the room says so", async () => {
      await button(page, "Sign out").click();
      const other = await browser.signIn({ privileges: WORKER }, "#/mirror");
      await other.getByText("It needs the privilege").waitFor();
    });
  },
});

Deno.test({
  name:
    "C 28: the room Mirror shows what came in, what was refused, space, and how the other hub is",
  ignore: !HAS_BROWSER,
  async fn(t) {
    await using parts = await started();
    const { double, browser, commit } = parts;
    const hub = await mirrorClient(browser.server, 7);
    const file = (name: string) => `/google/gemma/resolve/main/${name}`;
    await download(hub, file("config.json"));
    await download(hub, file("setup.exe"));
    const page = await browser.signIn({ privileges: ADMIN }, "#/mirror");

    await t.step("C 28 who has asked, how much is here, which rule has refused", async () => {
      await page.getByText("The other hub: Answers").waitFor();
      const entry = region(page, "What is here").getByRole("row").nth(1);
      await entry.getByText("by User 7").waitFor();
      await entry.getByText(/2 bytes in 1 of 3 files/).waitFor();
      await region(page, "Space").getByText("2 bytes of 1.00 MiB").waitFor();
      const refusals = region(page, "Refusals by rule").getByRole("row").nth(1);
      assert.match(await refusals.textContent() ?? "", /^no-programs1/);
      const log = region(page, "Let through and refused");
      await log.getByRole("row").filter({ hasText: "config.json" }).getByText("Let through")
        .waitFor();
      await log.getByRole("row").filter({ hasText: "setup.exe" })
        .getByText(/the rule no-programs refuses it/).waitFor();
      await assertAccessibleInBoth(page);
    });
    await t.step("C 28 an administrator pins, unpins and removes", async () => {
      await button(page, `Pin google/gemma ${commit}`).click();
      await region(page, "Space").getByText("2 bytes", { exact: true }).waitFor();
      await button(page, `Unpin google/gemma ${commit}`).click();
      await button(page, `Remove google/gemma ${commit}`).click();
      await assertAccessible(page);
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
      await region(page, "What is here").getByText("Nothing has come in yet.").waitFor();
    });
    await t.step("C 28 a file shows while it comes in, by itself", async () => {
      double.add("google/large", { "w.bin": { content: new Uint8Array(700 * KIB) } });
      double.fault = ({ host }) => host === "content" ? { stallAt: 350 * KIB } : undefined;
      const reading = download(hub, "/google/large/resolve/main/w.bin");
      const coming = region(page, "Coming in");
      await coming.getByText("350 KiB of 700 KiB").waitFor();
      await coming.getByText("User 7").waitFor();
      await assertAccessibleInBoth(page);
      double.fault = () => undefined;
      double.resume();
      await reading;
      await coming.waitFor({ state: "detached" });
    });
    await t.step("C 28 the other hub fails, and is not asked for a while", async () => {
      double.fault = () => ({ status: 503 });
      for (let failures = 0; failures < 3; failures++) {
        await hub.send("GET", "/api/models/google/gemma");
      }
      await page.getByText("The other hub: Not asked for now").waitFor();
      await region(page, "The other hub").getByText("Asked again").waitFor();
      await assertAccessibleInBoth(page);
    });
  },
});

Deno.test({
  name: "C 24, C 28: the room Mirror shows names of another hub as text, also on a phone",
  ignore: !HAS_BROWSER,
  async fn() {
    await using parts = await started({ viewport: { width: 360, height: 640 } });
    const { double, browser } = parts;
    const names = [
      "&lt;img src=x onerror=window.hasRun=1&gt;.json",
      `invoice\u202efdp.exe`,
      `${"long".repeat(50)}.json`,
      "constructor",
    ];
    const commit = double.add("org/odd", Object.fromEntries(names.map((name) => [name, "{}"])));
    double.repository("org/odd").tags = ["license:<b onclick=window.hasRun=1>"];
    const page = await browser.signIn({ privileges: ADMIN }, "#/mirror");
    await lookUp(page, `org/odd@${commit}`);
    await page.getByText(names[0] ?? "", { exact: true }).waitFor();
    assert.equal(await page.getByRole("row").count(), 1 + names.length);
    assert.equal(await page.evaluate("window.hasRun"), undefined);
    const overflows = "document.documentElement.scrollWidth > innerWidth";
    assert.equal(await page.evaluate(overflows), false);
    await assertAccessibleInBoth(page);
    await page.getByRole("link", { name: "Mirror" }).first().click();
    await page.getByRole("heading", { name: "Mirror", level: 1 }).waitFor();
    assert.equal(await page.evaluate(overflows), false);
    await assertAccessibleInBoth(page);
  },
});
