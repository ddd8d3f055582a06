/** The way from an empty directory to a team whose people share a tree: the test and the screenshots take it. */

import * as assert from "node:assert/strict";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { strongroom } from "../support/child_server.ts";
import { freePort } from "../support/ports.ts";
import { COMMAND } from "../support/program.ts";
import { RemoteClient } from "../support/remote_client.ts";
import { TempDir } from "../support/temp_dir.ts";
import { assertAccessible } from "./axe.ts";
import { type BrowserOptions, openContext } from "./browser.ts";
import { button, choose, row } from "./files_page.ts";
import { withAuthenticator } from "./authenticator.ts";

/** What an operator writes to share the tree of the team. */
const ROLES = `
[roles.admins]
privileges = ["resources.admin", "users.admin"]

[roles.members]
privileges = ["view", "upload", "edit", "delete", "download"]
trees = { vision = ["view", "upload", "download"] }
`;

/**
 * Starts a server at a terminal, opens the link that it shows, makes a passkey, invites a second person, shares the
 * tree of a team, and logs in from another machine of the second person.
 *
 * @param take Called at each step, when a page shows it.
 */
export async function foundTeam(
  options: Pick<BrowserOptions, "colorScheme" | "viewport">,
  take: (page: Page, title: string) => Promise<void>,
): Promise<void> {
  await using directory = await TempDir.make();
  const dataDir = `${directory.path}/data`;
  await using server = new TerminalServer(dataDir);
  const shown = async (page: Page, title: string) => {
    await assertAccessible(page);
    await take(page, title);
  };

  const [, invitation = ""] = await server.says(/(http:\/\/localhost:\d+\/#\/invitation\/[\w-]+)/);
  await using admin = await browserAt(options);
  const page = await admin.context.newPage();
  await withAuthenticator(page);
  await page.goto(invitation);
  await page.getByText("Welcome, admin.").waitFor();
  await shown(page, "first-link");
  await makePasskey(page);
  await shown(page, "signed-in");

  await room(page, "Access").click();
  await button(page, "Invite somebody").click();
  await page.getByLabel("Name", { exact: true }).fill("bob");
  await shown(page, "invite");
  await button(page.getByRole("dialog"), "Invite").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("The invitation of bob").waitFor();
  await shown(page, "invitation");
  const ofBob = await dialog.locator("code").textContent() ?? "";
  await button(dialog, "Done").click();

  const env = { STRONGROOM_DATA_DIR: dataDir };
  const added = await strongroom(["team", "add", "vision"], env);
  assert.equal(added.code, 0, added.stderr);
  await Deno.writeTextFile(`${dataDir}/strongroom.toml`, ROLES);
  await server.reload();
  await room(page, "Files").click();
  await page.getByLabel("Tree", { exact: true }).selectOption("Another tree…");
  await page.getByLabel("Name or number of its user or team").fill("vision");
  // Files that are chosen before would go to the own tree, and events of this one could come too early.
  const followed = page.waitForResponse((it) => new URL(it.url()).pathname.endsWith("/events/"));
  await button(page, "Show").click();
  await page.getByLabel("Tree", { exact: true }).locator("option:checked")
    .filter({ hasText: "vision" }).waitFor({ state: "attached" });
  await followed;
  const file = `${directory.path}/config.json`;
  await Deno.writeTextFile(file, "{}");
  await choose(page, "Upload files", file);
  await row(page, "config.json").waitFor();
  await shown(page, "shared");

  await using other = await browserAt(options);
  const bob = await other.context.newPage();
  await withAuthenticator(bob);
  await bob.goto(ofBob);
  await bob.getByText("Welcome, bob.").waitFor();
  await shown(bob, "second-link");
  await makePasskey(bob);
  const choice = bob.getByLabel("Tree", { exact: true });
  await choice.selectOption("vision");
  await row(bob, "config.json").waitFor();
  await shown(bob, "second-person");

  const machine = new RemoteClient({ HOME: directory.path });
  const { origin } = new URL(ofBob);
  await using login = machine.spawn(["login", origin], { narrow: false });
  await login.stdin.close();
  const printed = login.stderr.pipeThrough(new TextDecoderStream());
  const [, address = ""] = await textWith(printed, /Open (\S+)\n/);
  await bob.goto(address);
  await button(bob, "Approve").waitFor();
  await shown(bob, "approve");
  await button(bob, "Approve").click();
  await bob.getByText("The machine is logged in.").waitFor();
  await shown(bob, "logged-in");
  assert.equal((await login.status).code, 0);
  await login.stdout.cancel();
  const listed = await machine.run(["ls", "--tree", "vision"]);
  assert.deepEqual([listed.code, listed.stdout], [0, "config.json\n"], listed.stderr);
}

function room(page: Page, name: string): Locator {
  return page.getByRole("navigation", { name: "Rooms" }).getByRole("link", { name });
}

async function makePasskey(page: Page): Promise<void> {
  await button(page, "Make a passkey").click();
  await room(page, "Files").waitFor();
}

/** The browser of somebody. */
async function browserAt(
  options: BrowserOptions,
): Promise<AsyncDisposable & { readonly context: BrowserContext }> {
  const context = await openContext(options);
  return { context, [Symbol.asyncDispose]: () => context.close() };
}

/** A server that somebody has started at a terminal. */
class TerminalServer implements AsyncDisposable {
  readonly #process: Deno.ChildProcess;
  readonly #printed: ReadableStream<string>;
  #pid = 0;

  constructor(dataDir: string) {
    this.#process = new Deno.Command("script", {
      args: ["-qefc", `'${COMMAND}' serve`, "/dev/null"],
      env: {
        STRONGROOM_DATA_DIR: dataDir,
        STRONGROOM_PORT: String(freePort()),
        STRONGROOM_LOG_FORMAT: "json",
      },
      stdin: "null",
      stdout: "piped",
    }).spawn();
    this.#printed = this.#process.stdout.pipeThrough(new TextDecoderStream());
  }

  /** Waits until it prints something. */
  says(wanted: RegExp): Promise<RegExpExecArray> {
    return textWith(this.#printed, wanted, (text) => {
      const [, pid] = /"pid":(\d+)/.exec(text) ?? [];
      if (pid !== undefined) this.#pid = Number(pid);
    });
  }

  /** Has it read its rules again. */
  async reload(): Promise<void> {
    Deno.kill(this.#pid, "SIGHUP");
    await this.says(/Reloaded/);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    Deno.kill(this.#pid, "SIGTERM");
    await this.#printed.cancel();
    await this.#process.status;
  }
}

/** Reads a text until it has what is wanted. The rest can be read later. */
async function textWith(
  stream: ReadableStream<string>,
  wanted: RegExp,
  note: (text: string) => void = () => {},
): Promise<RegExpExecArray> {
  let text = "";
  for await (const piece of stream.values({ preventCancel: true })) {
    text += piece;
    note(text);
    const found = wanted.exec(text);
    if (found !== null) return found;
  }
  throw new Error(`It has ended without ${wanted}: ${text}`);
}
