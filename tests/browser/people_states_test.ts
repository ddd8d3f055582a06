import type { Page } from "playwright-core";
import { assertAccessibleInBoth } from "./axe.ts";
import { HAS_BROWSER, IS_FIREFOX } from "./browser.ts";
import { button } from "./files_page.ts";
import { furnish } from "./furnished.ts";
import { answered, assertStates, dialog, heading, region, type State, words } from "./states.ts";

// Firefox has no authenticator for tests.
const ignore = !HAS_BROWSER || IS_FIREFOX;

/** Uses a button of a card, which asks something. */
function asks(card: string, label: string) {
  return async (page: Page) => {
    const part = page.getByRole("region", { name: card, exact: true });
    await button(part, label).first().click();
    await dialog(page);
  };
}

/** Uses a button of a card, fills in its question, and waits for why that is refused. */
function isRefused(card: string, label: string, [field, text, action]: readonly string[]) {
  return async (page: Page) => {
    await asks(card, label)(page);
    const question = page.getByRole("dialog");
    await question.getByLabel(field ?? "", { exact: true }).fill(text ?? "");
    await button(question, action ?? "").click();
    await question.getByRole("alert").waitFor();
  };
}

/** That a room has a card on its way, and one that could not be loaded. */
function incoming(path: string, what: string, hash: string): State[] {
  return [
    [
      `${what} on the way`,
      "#/nowhere",
      answered(path, "never", { hash, then: words(`Loading ${what}…`) }),
    ],
    [
      `${what} not loaded`,
      "#/nowhere",
      answered(path, "with an error", { hash, then: words("Try again") }),
    ],
  ];
}

const MODEL = "models/llama-finetuned";

/** What furnished rooms show, to a person with a passkey who administers. */
const STATES: readonly State[] = [
  ["people, passkeys, sessions and credentials", "#/access", words("bob")],
  ["an invitation", "#/access", asks("People", "Invite somebody")],
  [
    "a person who is there already",
    "#/access",
    isRefused("People", "Invite somebody", ["Name", "bob", "Invite"]),
  ],
  ["the link of an invitation", "#/access", async (page) => {
    await asks("People", "Invite again bob")(page);
    await words("The invitation of bob")(page);
  }],
  ["a person to disable", "#/access", asks("People", "Disable bob")],
  ["a person who is disabled", "#/access", async (page) => {
    await asks("People", "Disable bob")(page);
    await button(page.getByRole("dialog"), "Disable").click();
    await words("Disabled just now")(page);
  }],
  ["a person to enable", "#/access", asks("People", "Enable bob")],
  ["a new team", "#/access", asks("Teams", "New team")],
  [
    "a team with a name that none may have",
    "#/access",
    isRefused("Teams", "New team", ["Name", "7", "Create"]),
  ],
  ["a team", "#/access", async (page) => {
    await asks("Teams", "New team")(page);
    await page.getByRole("dialog").getByLabel("Name").fill("vision");
    await button(page.getByRole("dialog"), "Create").click();
    await page.getByRole("row", { name: /^vision/ }).waitFor();
  }],
  ["a team to rename", "#/access", asks("Teams", "Rename vision")],
  ["a new passkey", "#/access", asks("Passkeys", "New passkey")],
  ["the only passkey to remove", "#/access", asks("Passkeys", "Remove Security key")],
  ["a credential for hf", "#/access", asks("Credentials", "Credential for hf")],
  ["a credential to revoke", "#/access", asks("Credentials", "Revoke nightly sync")],
  ["a link to revoke", "#/access", asks("Links", "Revoke link 1")],
  ["no line of the audit log", "#/access", async (page) => {
    await page.getByLabel("Action").fill("nothing.such");
    await button(page, "Search").click();
    await words("No line matches")(page);
  }],
  ...incoming("/users/", "people", "#/access"),
  ...incoming("/teams/", "teams", "#/access"),
  ...incoming("/passkeys", "the passkeys", "#/access"),
  ...incoming("/sessions", "the sessions", "#/access"),
  ...incoming("/tokens/", "credentials", "#/access"),
  ...incoming("/audit/", "the audit log", "#/access"),

  ["the mirror", "#/mirror", words("google/gemma")],
  ["a revision to remove", "#/mirror", async (page) => {
    await page.getByRole("button", { name: /^Remove google\/gemma/ }).click();
    await dialog(page);
  }],
  ["a revision that is pinned", "#/mirror", async (page) => {
    await page.getByRole("button", { name: /^Pin google\/gemma/ }).click();
    await page.getByRole("button", { name: /^Unpin google\/gemma/ }).waitFor();
  }],
  ["a repository that is nowhere", "#/mirror", async (page) => {
    await page.getByRole("searchbox").fill("nobody/nothing");
    await button(page, "Look it up").click();
    await page.getByRole("alert").waitFor();
  }],
  ...incoming("/mirror-state", "the mirror", "#/mirror"),
  ...incoming("/mirror/", "revisions", "#/mirror"),
  ...incoming("/mirror/1/files", "the files", "#/mirror/1"),

  ["a model", `#/model/${MODEL}`, region("Card")],
  ["what to compare a model with", `#/model/${MODEL}`, async (page) => {
    await button(page, "Compare with…").click();
    await page.getByLabel("What it was").waitFor();
  }],
  ["nothing that a model is compared with", `#/model/${MODEL}`, async (page) => {
    await button(page, "Compare with…").click();
    await button(page.getByRole("dialog"), "Compare").click();
    await page.getByRole("dialog").getByRole("alert").waitFor();
  }],
  ...incoming("/facts", "what is known of the model", `#/model/${MODEL}`),
  [
    "two folders compared",
    `#/differences/${MODEL}?from=models/signed`,
    words(/files are different/),
  ],
  ["two states of a file compared", "#/differences/notes.txt?from_at=v1.0", words("Try again")],
  ["a file and its former state", "#/history/notes.txt", async (page) => {
    await page.evaluate(`location.hash = "#/compare/notes.txt?from=3"`);
    await heading(/compared$/)(page);
    await words(/Nothing is different|replaced|added/)(page);
  }],
  [
    "what is equal compared",
    `#/differences/${MODEL}?from=${MODEL}`,
    words("Nothing is different."),
  ],
  ...incoming("/compare", "the differences", `#/differences/${MODEL}?from=models/signed`),
  ...incoming("/diff", "the differences", "#/compare/models?from=1"),
  ...incoming("/trash", "deletions", "#/trash"),
  ...incoming("/history", "changes", "#/history/models"),
  ...incoming("/tags/", "tags", "#/tags"),
];

/** What has no rooms around it. */
const OUTSIDE = [
  ["the code of a machine", "#/login", words("The code that strongroom login shows")],
  ["a code that counts no more", "#/login/WDJB-MJHT", words("Try again")],
  ["an invitation that counts no more", "#/invitation/none", words(/invitation/)],
] as const;

Deno.test({
  name:
    "C 24, C 27, C 28, C 29 axe-core finds nothing in any state of people, teams, passkeys, the mirror, models and comparisons",
  ignore,
  async fn(t) {
    await using it = await furnish();
    await assertStates(t, it.page, STATES);
    for (const [name, hash, shown] of OUTSIDE) {
      await t.step(name, async () => {
        await it.page.goto("about:blank");
        await it.page.goto(`${it.browser.server.origin}/${hash}`);
        await shown(it.page);
        await assertAccessibleInBoth(it.page);
      });
    }
  },
});
