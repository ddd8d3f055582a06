import * as assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { ROOT } from "../support/child_server.ts";
import { HUB_VERSIONS } from "../support/hub_clients.ts";
import { COMMAND_ENVIRONMENT } from "../support/remote_client.ts";
import { SECRET } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { assertAccessible } from "./axe.ts";
import { credentialOf, HAS_BROWSER, TestBrowser } from "./browser.ts";
import { button, row } from "./files_page.ts";

/** A person's shell, in which the command of this checkout is installed. */
const SHELL = `strongroom() { "${Deno.execPath()}" run -A --no-check "${ROOT}main.ts" "$@"; }\n`;

/** Pastes a line into a shell in a directory with a file, and enters a credential where the line asks for it. */
async function paste(line: string, directory: string): Promise<void> {
  const path = `${HUB_VERSIONS[0]?.python.replace(/python3$/, "") ?? ""}:${Deno.env.get("PATH")}`;
  const shell = new Deno.Command("sh", {
    args: ["-c", SHELL + line],
    cwd: directory,
    env: {
      ...COMMAND_ENVIRONMENT,
      HOME: `${directory}/../home`,
      XDG_CONFIG_HOME: `${directory}/../home`,
      PATH: path,
    },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = shell.stdin.getWriter();
  await writer.write(new TextEncoder().encode(`${await credentialOf()}\n`));
  await writer.close();
  const { code, stderr } = await shell.output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
}

/** What the button beside a line copies. */
async function lineThat(page: Page, what: string): Promise<string> {
  await button(page, `Copy the line that ${what}`).click();
  await page.getByText("Copied the line").first().waitFor();
  return await page.evaluate("navigator.clipboard.readText()");
}

Deno.test({
  name: "C 24 an empty strongroom shows three ways to bring files, by lines that work as pasted",
  ignore: !HAS_BROWSER,
  async fn(t) {
    await using browser = await TestBrowser.start({ limits: { maxUploadFileSize: 5 * 2 ** 20 } });
    await browser.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await using directory = await TempDir.make();
    await Deno.mkdir(`${directory.path}/here`);
    await Deno.writeTextFile(`${directory.path}/here/notes.txt`, "notes");
    const page = await browser.signIn({ quota: 2 ** 30 });
    await page.getByRole("heading", { name: "No files yet" }).waitFor();
    const limits = "A file has 5.00 MiB at most. The quota of this tree is 1.00 GiB.";
    await page.getByText(limits).waitFor();
    await assertAccessible(page);
    const put = await lineThat(page, "sends a directory");
    const upload = await lineThat(page, "uploads a model");

    await t.step("the command line", async () => {
      await paste(put, `${directory.path}/here`);
      await row(page, "notes.txt").or(row(page, "here")).waitFor();
    });
    await t.step({
      name: "a client of the model hub",
      ignore: HUB_VERSIONS.length === 0,
      async fn() {
        await paste(upload, `${directory.path}/here`);
        await row(page, "models").waitFor();
      },
    });
  },
});

Deno.test({
  name:
    "C 24 the sign-in hides what is typed, is known to password managers, and says what it wants",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start();
    const page = await browser.open();
    const field = page.getByLabel("Credential");
    await field.waitFor();
    const form = page.locator("form");
    assert.equal(await field.getAttribute("type"), "password");
    assert.equal(await field.getAttribute("autocomplete"), "current-password");
    assert.equal(await form.locator("input[autocomplete=username]").count(), 1);
    await button(page, "Show").click();
    assert.equal(await field.getAttribute("type"), "text");
    await page.getByText("Where does one come from?").click();
    const command = await form.locator(".copied-line code").innerText();
    await assertAccessible(page);
    // The command makes one that this server takes.
    await using home = await TempDir.make();
    const made = await new Deno.Command("sh", {
      args: ["-c", SHELL + command],
      cwd: home.path,
      env: { STRONGROOM_JWT_SECRET: SECRET },
    }).output();
    assert.equal(made.code, 0, new TextDecoder().decode(made.stderr));
    await field.fill(new TextDecoder().decode(made.stdout));
    await field.press("Enter");
    await page.getByRole("navigation", { name: "Rooms" }).waitFor();
  },
});
