import * as assert from "node:assert/strict";
import { createServer } from "node:http";
import Provider from "oidc-provider";
import { AtProvider } from "../support/at_provider.ts";
import { ProviderBrowser } from "../support/console.ts";
import { freePort } from "../support/ports.ts";
import { TestServer } from "../support/server.ts";

const SECRET = "the secret of the client at its provider";

/** `oidc-provider` of npm, whose people sign in with any password, by its forms for development. */
async function realProvider(port: number, server: string): Promise<AsyncDisposable> {
  const provider = new Provider(`http://localhost:${port}`, {
    clients: [{
      client_id: "strongroom",
      client_secret: SECRET,
      redirect_uris: [`${server}/console/sign-in/provider/callback`],
      backchannel_logout_uri: `${server}/console/sign-in/provider/logout`,
      backchannel_logout_session_required: true,
    }],
    claims: {
      openid: ["sub"],
      email: ["email"],
      profile: ["preferred_username"],
      groups: ["groups"],
    },
    scopes: ["openid", "profile", "email", "groups"],
    features: { backchannelLogout: { enabled: true } },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        email: `${id}@example.org`,
        preferred_username: id,
        groups: ["vision", "staff"],
      }),
    }),
  });
  const listener = createServer(provider.callback());
  await new Promise<void>((resolve) => listener.listen(port, "localhost", resolve));
  return {
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        listener.closeAllConnections();
        listener.close(() => resolve());
      }),
  };
}

Deno.test({
  name: "C 27 people sign in by oidc-provider of npm, and sign out there",
  async fn(t) {
    const port = freePort();
    const issuer = `http://localhost:${port}`;
    await using server = await TestServer.start({
      settings: { oidcIssuer: issuer, oidcClientId: "strongroom", oidcClientSecret: SECRET },
    });
    await using _provider = await realProvider(port, server.origin);
    const there = new AtProvider();
    const signIn = async () => {
      const browser = new ProviderBrowser(server);
      let at = await there.go(await browser.begin());
      while (at.page !== undefined) {
        at = await there.submit(at, { login: "ana", password: "any" });
      }
      assert.equal(await browser.comeBack(new URL(at.url).searchParams), "/");
      return browser;
    };
    const ana = await signIn();

    await t.step("by name, with the groups of its userinfo", async () => {
      assert.equal((await ana.ask("GET", "/session")).user_name, "ana");
      const admin = await server.as(1000, "users.admin");
      const { text } = await admin.send("GET", "/users/ana");
      assert.deepEqual(JSON.parse(text).data.groups, ["vision", "staff"]);
      assert.equal(JSON.parse(text).data.email, "ana@example.org");
    });
    await t.step("a second browser, without a form", async () => {
      assert.equal(await (await signIn()).isSignedIn(), true);
    });
    await t.step("signing out at the provider ends the sessions here", async () => {
      await there.submit(await there.go(`${issuer}/session/end`), { logout: "yes" });
      assert.equal(await ana.isSignedIn(), false);
    });
  },
});
