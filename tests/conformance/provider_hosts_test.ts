import * as assert from "node:assert/strict";
import { ChildServer } from "../support/child_server.ts";
import { ProviderBrowser } from "../support/console.ts";
import { FakeProvider } from "../support/fake_provider.ts";
import { TempDir } from "../support/temp_dir.ts";

/** Tries to sign in at a server in processes of its own, whose provider has endpoints elsewhere. */
async function attempt(
  metadata: (provider: FakeProvider) => Record<string, string>,
  hosts: (provider: FakeProvider) => string | undefined,
): Promise<{ readonly target: string | undefined; readonly log: string; readonly other: string }> {
  await using directory = await TempDir.make();
  await using provider = await FakeProvider.start();
  provider.metadata = metadata(provider);
  const named = hosts(provider);
  await using server = await ChildServer.start({
    dataDir: directory.path,
    env: {
      STRONGROOM_OIDC_ISSUER: provider.issuer,
      STRONGROOM_OIDC_CLIENT_ID: "strongroom",
      ...named !== undefined && { STRONGROOM_OIDC_HOSTS: named },
    },
  });
  const browser = new ProviderBrowser(server);
  const { status, data } = await browser.send("POST", "/sign-in/provider");
  const target = status === 200
    ? await browser.comeBack(provider.signIn(String(data.url)))
    : undefined;
  if (target === "/") assert.equal((await browser.ask("GET", "/session")).user_name, "ana");
  await server.end("SIGTERM");
  return { target, log: server.log, other: new URL(provider.elsewhere).host };
}

const allElsewhere = ({ elsewhere }: FakeProvider) => ({
  token_endpoint: `${elsewhere}/token`,
  jwks_uri: `${elsewhere}/keys`,
});

Deno.test("C 27 the endpoints of a provider are where the operator says, and the server may reach no other host", async (t) => {
  await t.step("those that are named", async () => {
    const { target } = await attempt(allElsewhere, (it) => new URL(it.elsewhere).host);
    assert.equal(target, "/");
  });
  await t.step("not those that the provider alone names, and the log says which", async () => {
    for (const name of ["token_endpoint", "jwks_uri", "userinfo_endpoint"]) {
      const { target, log, other } = await attempt(
        ({ elsewhere }) => ({ [name]: `${elsewhere}/token` }),
        () => undefined,
      );
      assert.equal(target, undefined);
      assert.ok(
        log.includes(`Its ${name} is at ${other}: name that in STRONGROOM_OIDC_HOSTS`),
        log,
      );
    }
  });
  await t.step("where the browser alone goes is not asked", async () => {
    const { target } = await attempt(
      ({ elsewhere }) => ({ authorization_endpoint: `${elsewhere}/auth` }),
      () => undefined,
    );
    assert.equal(target, "/");
  });
});
