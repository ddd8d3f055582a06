import * as assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Role } from "../../core/people/roles.ts";
import { FakeProvider } from "../support/fake_provider.ts";
import { assertAccessible } from "./axe.ts";
import { HAS_BROWSER, TestBrowser, WORKER } from "./browser.ts";
import { button } from "./files_page.ts";

const ROLES = new Map<string, Role>([["vision", { privileges: WORKER, trees: {} }]]);

function rooms(page: Page) {
  return page.getByRole("navigation", { name: "Rooms" });
}

Deno.test({
  name: "C 27 a person signs in by the provider with a click, and makes no passkey",
  ignore: !HAS_BROWSER,
  async fn(t) {
    await using provider = await FakeProvider.start();
    await using browser = await TestBrowser.start({
      ...{ roles: ROLES, provider: provider.issuer },
      settings: { oidcIssuer: provider.issuer, oidcClientId: "strongroom" },
    });
    const page = await browser.open();
    const enter = async () => {
      await button(page, `Sign in by ${new URL(provider.issuer).host}`).click();
      await rooms(page).waitFor();
    };
    await t.step("it is in, and Access says how it signs in", async () => {
      await enter();
      await rooms(page).getByRole("link", { name: "Access" }).click();
      await page.getByRole("region", { name: "You" }).getByText(/^ana \(\d+\)$/).waitFor();
      const passkeys = page.getByRole("region", { name: "Passkeys" });
      await passkeys.getByText("You sign in by your provider").waitFor();
      assert.equal(await button(passkeys, "New passkey").count(), 0);
      await assertAccessible(page);
    });
    await t.step("who comes after it ends its session", async () => {
      const key = async () =>
        (await browser.context.cookies()).find(({ name }) => name.includes("_console_"));
      const former = await key();
      provider.answers.claims = (claims) => ({ ...claims, sub: "bob", preferred_username: "bob" });
      await page.evaluate(() => {
        const headers = { "X-Strongroom-Console": "none" };
        return fetch("/console/sign-in/provider", { method: "POST", headers })
          .then((reply) => reply.json())
          .then(({ data }) => void location.assign(data.url));
      });
      await page.waitForURL((url) => url.hash !== "#/access");
      await rooms(page).waitFor();
      assert.ok(former !== undefined && former.value !== (await key())?.value);
      const reply = await fetch(`${browser.origin}/console/session`, {
        headers: {
          Cookie: `${former.name}=${former.value}`,
          "X-Strongroom-Console": "none",
        },
      });
      assert.equal((await reply.json()).msg, "The session has ended");
    });
    await t.step("who may do nothing is told so", async () => {
      provider.answers.claims = (claims) => ({ ...claims, sub: "eve", groups: ["none"] });
      await button(page, "Sign out").click();
      await button(page, `Sign in by ${new URL(provider.issuer).host}`).click();
      await page.getByText("ask an administrator", { exact: false }).waitFor();
      await assertAccessible(page);
    });
  },
});
