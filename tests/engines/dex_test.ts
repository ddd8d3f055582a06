import * as assert from "node:assert/strict";
import { AtProvider } from "../support/at_provider.ts";
import { ProviderBrowser } from "../support/console.ts";
import { freePort } from "../support/ports.ts";
import { TestServer } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram } from "../support/tools.ts";
import { until } from "../support/until.ts";

const SECRET = "the secret of the client at Dex";
/** What `$2a$…` in the configuration is made of. */
const PASSWORD = "password";

const isInstalled = await hasProgram("dex", "version");
if (!isInstalled) console.log("dex is not installed: its test is skipped");

/** Dex with one person. */
async function startDex(
  { issuer, server, directory }: {
    readonly issuer: string;
    readonly server: string;
    readonly directory: string;
  },
): Promise<AsyncDisposable> {
  const callback = `${server}/console/sign-in/provider`;
  const config = `${directory}/dex.json`;
  await Deno.writeTextFile(
    config,
    JSON.stringify({
      issuer,
      storage: { type: "memory" },
      web: { http: new URL(issuer).host },
      logger: { level: "error" },
      sessions: {},
      staticClients: [{
        id: "strongroom",
        name: "strongroom",
        secret: SECRET,
        redirectURIs: [`${callback}/callback`],
        backchannelLogoutURI: `${callback}/logout`,
      }],
      enablePasswordDB: true,
      staticPasswords: [{
        email: "ana@example.org",
        hash: "$2a$10$2b2cU8CPhOTaGrs1HRQuAueS7JTT5ZHsHSzYiFPm1leZck7Mc8T4W",
        username: "ana",
        preferredUsername: "ana",
        userID: "08a8684b-db88-4b73-90a9-3cd1661f5466",
        groups: ["vision", "staff"],
      }],
    }),
  );
  const child = new Deno.Command("dex", {
    args: ["serve", config],
    env: { DEX_SESSIONS_ENABLED: "true" },
    stdin: "null",
  }).spawn();
  await until(async () => {
    const response = await fetch(`${issuer}/.well-known/openid-configuration`).catch(() => null);
    await response?.body?.cancel();
    return response?.ok === true;
  });
  return {
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.status;
    },
  };
}

Deno.test({
  name: "C 27 people sign in by Dex, and sign out there",
  ignore: !isInstalled,
  async fn(t) {
    await using directory = await TempDir.make();
    const issuer = `http://localhost:${freePort()}/dex`;
    await using server = await TestServer.start({
      settings: { oidcIssuer: issuer, oidcClientId: "strongroom", oidcClientSecret: SECRET },
    });
    await using _dex = await startDex({ issuer, server: server.origin, directory: directory.path });
    const signIn = async (there: AtProvider, password = PASSWORD) => {
      const browser = new ProviderBrowser(server);
      let at = await there.go(await browser.begin());
      while (at.page !== undefined) {
        if (at.page.includes("login-error")) return undefined;
        at = await there.submit(at, { login: "ana@example.org", password });
      }
      assert.equal(await browser.comeBack(new URL(at.url).searchParams), "/");
      return browser;
    };
    const there = new AtProvider();
    const ana = await signIn(there);

    await t.step("by name, with the groups that Dex says", async () => {
      assert.equal((await ana?.ask("GET", "/session")).user_name, "ana");
      const admin = await server.as(1000, "users.admin");
      const { email, groups } = JSON.parse((await admin.send("GET", "/users/ana")).text).data;
      assert.deepEqual([email, groups], ["ana@example.org", ["vision", "staff"]]);
    });
    await t.step("not with another password", async () => {
      assert.equal(await signIn(new AtProvider(), "another"), undefined);
    });
    await t.step("signing out there ends the session here", async () => {
      const { page = "", url } = await there.submit(await there.go(`${issuer}/logout`), {});
      assert.match(page, /logged out/i, url);
      // Dex tells the server beside its reply.
      await until(async () => await ana?.isSignedIn() === false);
    });
  },
});
