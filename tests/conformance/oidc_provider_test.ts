import * as assert from "node:assert/strict";
import { createServer } from "node:http";
import Provider from "oidc-provider";
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

/** A browser at the provider, which keeps its cookies. */
class AtProvider {
  readonly #cookies = new Map<string, string>();

  /** Follows redirects within the provider. Returns a page, or where else the browser is sent. */
  async go(url: string, form?: Record<string, string>): Promise<{ url: string; page?: string }> {
    const { origin } = new URL(url);
    let response = await this.#send(url, form);
    let at = url;
    while (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      at = new URL(response.headers.get("Location") ?? "", at).href;
      if (new URL(at).origin !== origin) return { url: at };
      response = await this.#send(at);
    }
    return { url: at, page: await response.text() };
  }

  async #send(url: string, form?: Record<string, string>): Promise<Response> {
    const response = await fetch(url, {
      redirect: "manual",
      headers: { Cookie: [...this.#cookies].map((pair) => pair.join("=")).join("; ") },
      ...(form && { method: "POST", body: new URLSearchParams(form) }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value === "") this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return response;
  }
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
        const action = /<form[^>]* action="([^"]+)"/.exec(at.page)?.[1];
        assert.ok(action, at.page);
        const isLogin = at.page.includes('name="login"');
        at = await there.go(
          new URL(action, at.url).href,
          isLogin ? { prompt: "login", login: "ana", password: "any" } : { prompt: "consent" },
        );
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
      const { page = "" } = await there.go(`${issuer}/session/end`);
      const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)?.[1] ?? "";
      await there.go(`${issuer}/session/end/confirm`, { xsrf, logout: "yes" });
      assert.equal(await ana.isSignedIn(), false);
    });
  },
});
