import * as assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { addPerson, inviteTo, tokenIn } from "../support/console.ts";
import { withAuthenticator } from "./authenticator.ts";
import { assertAccessible } from "./axe.ts";
import { HAS_BROWSER, IS_FIREFOX, TestBrowser } from "./browser.ts";
import { button } from "./files_page.ts";

// Firefox has no authenticator for tests.
const ignore = !HAS_BROWSER || IS_FIREFOX;

/** A browser whose pages have an authenticator, and a person who is invited. */
async function invited() {
  const browser = await TestBrowser.start({ hostname: "localhost" });
  const admin = await browser.server.as(1000, "users.admin", "resources.admin");
  await addPerson(admin, "ana", ["admins"]);
  return { browser, admin, [Symbol.asyncDispose]: () => browser[Symbol.asyncDispose]() };
}

async function goToAccess(page: Page): Promise<void> {
  await page.getByRole("navigation", { name: "Rooms" }).getByRole("link", { name: "Access" })
    .click();
}

function region(page: Page, name: string) {
  return page.getByRole("region", { name });
}

Deno.test({
  name: "C 27 an invited person makes a passkey, signs in with it, and invites a second person",
  ignore,
  async fn(t) {
    await using it = await invited();
    const { browser } = it;
    const url = await inviteTo(it.admin, "ana");
    const page = await browser.open(`#/invitation/${tokenIn(url)}`);
    const lose = await withAuthenticator(page);

    await t.step("the link says whom it is for", async () => {
      await page.getByText("Welcome, ana.").waitFor();
      await assertAccessible(page);
    });
    await t.step("a passkey is made, and its person is in", async () => {
      await button(page, "Make a passkey").click();
      await page.getByRole("navigation", { name: "Rooms" }).waitFor();
      assert.doesNotMatch(page.url(), /invitation/);
    });
    await t.step("it signs in again with a click", async () => {
      await button(page, "Sign out").click();
      await assertAccessible(page);
      await button(page, "Sign in with a passkey").click();
      await page.getByRole("navigation", { name: "Rooms" }).waitFor();
    });
    await t.step("Access shows the passkey and the session", async () => {
      await goToAccess(page);
      await region(page, "You").getByText(/^ana \(\d+\)$/).waitFor();
      await region(page, "Passkeys").getByText("Chrome on Linux").waitFor();
      await region(page, "Where you are signed in").getByText("This one").waitFor();
      await assertAccessible(page);
    });
    await t.step("a second passkey, and the first one removed", async () => {
      await lose();
      await withAuthenticator(page);
      await button(region(page, "Passkeys"), "New passkey").click();
      await page.getByLabel("What you call it").fill("Phone");
      await button(page.getByRole("dialog"), "Make it").click();
      await region(page, "Passkeys").getByText("Phone").waitFor();
      await button(page, "Remove Chrome on Linux").click();
      await button(page.getByRole("dialog"), "Remove").click();
      await page.getByText("Removed the passkey").waitFor();
      await button(page, "Sign out").click();
      await button(page, "Sign in with a passkey").click();
      await page.getByRole("navigation", { name: "Rooms" }).waitFor();
    });
    await t.step("it invites a second person, whose link is shown once", async () => {
      await goToAccess(page);
      await button(page, "Invite somebody").click();
      await page.getByLabel("Name", { exact: true }).fill("bob");
      await button(page.getByRole("dialog"), "Invite").click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText("The invitation of bob").waitFor();
      const link = await dialog.locator("code").textContent() ?? "";
      assert.ok(link.startsWith(`${browser.origin}/#/invitation/`), link);
      await button(dialog, "Done").click();
      await region(page, "People").getByText("bob").waitFor();
      await assertAccessible(page);
    });
    await t.step("it makes a team, and gives it another name", async () => {
      await button(page, "New team").click();
      await page.getByLabel("Name", { exact: true }).fill("vision");
      await button(page.getByRole("dialog"), "Create").click();
      await button(page, "Rename vision").click();
      await page.getByLabel("New name").fill("vision-lab");
      await button(page.getByRole("dialog"), "Rename").click();
      await region(page, "Teams").getByText("vision-lab").waitFor();
      await assertAccessible(page);
    });
    await t.step("it approves a machine by its code", async () => {
      const response = await fetch(`${browser.server.origin}/console/device`, {
        method: "POST",
        body: new URLSearchParams({ machine: "the <b>laptop</b>" }),
      });
      const { user_code } = await response.json();
      const other = await browser.open("#/login");
      await other.getByLabel("The code that strongroom login shows").fill(user_code.toLowerCase());
      await button(other, "Go on").click();
      await other.getByText("“the <b>laptop</b>” (127.0.0.1) has asked").waitFor();
      await assertAccessible(other);
      await button(other, "Approve").click();
      await other.getByText("The machine is logged in.").waitFor();
      await other.close();
    });
    await t.step("and disables it", async () => {
      await button(page, "Disable bob").click();
      await button(page.getByRole("dialog"), "Disable").click();
      await button(page, "Enable bob").waitFor();
    });
  },
});

Deno.test({
  name: "C 27 a used invitation says so, and a browser without a passkey stays out",
  ignore,
  async fn() {
    await using it = await invited();
    const url = await inviteTo(it.admin, "ana");
    const page = await it.browser.open(`#/invitation/${tokenIn(url)}`);
    const lose = await withAuthenticator(page);
    await button(page, "Make a passkey").click();
    await page.getByRole("navigation", { name: "Rooms" }).waitFor();
    const again = await it.browser.open(`#/invitation/${tokenIn(url)}`);
    await again.getByText("This invitation has been used").waitFor();
    await again.close();
    await lose();
    await withAuthenticator(page);
    await button(page, "Sign out").click();
    await button(page, "Sign in with a passkey").click();
    await page.getByRole("alert").getByText("No passkey was chosen: try again").waitFor();
  },
});

Deno.test({
  name: "C 27 a server without people asks for a credential alone",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start();
    const page = await browser.open();
    await page.getByLabel("Credential").waitFor();
    await page.waitForLoadState("networkidle");
    assert.equal(await button(page, "Sign in with a passkey").count(), 0);
  },
});
