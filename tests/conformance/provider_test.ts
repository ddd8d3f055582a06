import * as assert from "node:assert/strict";
import * as jose from "jose";
import { auditOf } from "../support/audit.ts";
import { dataOf } from "../support/client.ts";
import { type ProviderBrowser, TestConsole } from "../support/console.ts";
import { FakeProvider } from "../support/fake_provider.ts";
import { providerRoom } from "../support/provider_room.ts";
import { TestServer } from "../support/server.ts";

Deno.test("C 27 a person signs in by OpenID Connect, and keeps its number", async (t) => {
  await using it = await providerRoom();
  const { provider } = it;
  const ana = it.browser();

  await t.step("with state, nonce and PKCE, and a cookie that no other page reads", async () => {
    const url = new URL(await ana.begin());
    const asked = Object.fromEntries(url.searchParams);
    assert.deepEqual(
      { ...asked, state: "", nonce: "", code_challenge: "" },
      {
        ...{ state: "", nonce: "", code_challenge: "" },
        client_id: "strongroom",
        code_challenge_method: "S256",
        redirect_uri: `${it.server.origin}/console/sign-in/provider/callback`,
        response_type: "code",
        scope: "openid profile email",
      },
    );
    assert.match(ana.cookie, /^strongroom_provider_[\da-f]{8}=[\w-]+$/);
    assert.equal(await ana.comeBack(provider.signIn(url.href)), "/");
    assert.match(ana.cookie, /^strongroom_console_/);
    assert.deepEqual(provider.authorizations, [`Basic ${btoa("strongroom:a+secret")}`]);
  });
  const first = await ana.ask("GET", "/session");
  await t.step("with the name, address and groups that the provider says", async () => {
    assert.equal(first.user_name, "ana");
    const { groups, email } = Object(dataOf(await it.admin.send("GET", "/users/ana")));
    assert.deepEqual([groups, email], [["vision"], "ana@example.org"]);
    const { items } = await ana.ask("GET", "/sessions");
    assert.equal(items[0].means, "provider");
  });
  await t.step("in no group that has a role, it may do nothing", async () => {
    assert.deepEqual(first.privileges, []);
    assert.equal((await ana.send("GET", "/api/resources/")).code, "ErrNotPermitted");
  });
  await t.step("not even in a group that means something without a provider", async () => {
    provider.answers.claims = (claims) => ({ ...claims, groups: "admins" });
    const again = it.browser();
    await again.comeBack(provider.signIn(await again.begin()));
    const { user_id, privileges } = await again.ask("GET", "/session");
    assert.deepEqual([user_id, privileges], [first.user_id, []]);
    const { groups } = Object(dataOf(await it.admin.send("GET", "/users/ana")));
    assert.deepEqual(groups, ["admins"]);
  });
  await t.step("another person of the same name is another person", async () => {
    provider.answers.claims = (claims) => ({ ...claims, sub: "other" });
    const other = it.browser();
    await other.comeBack(provider.signIn(await other.begin()));
    const { user_id, user_name } = await other.ask("GET", "/session");
    assert.notEqual(user_id, first.user_id);
    assert.equal(user_name, "ana-2");
  });
  await t.step("a new key of the provider counts", async () => {
    await provider.rotate();
    provider.answers = {};
    const later = it.browser();
    const clock = Date.now;
    // Unknown keys are asked for once a minute at most.
    Date.now = () => clock() + 61_000;
    try {
      assert.equal(await later.comeBack(provider.signIn(await later.begin())), "/");
    } finally {
      Date.now = clock;
    }
  });
  await t.step("a disabled person stays out, and its sessions are over", async () => {
    dataOf(await it.admin.json("PATCH", "/users/ana", { disabled: true }));
    assert.equal(await ana.isSignedIn(), false);
    const again = it.browser();
    const target = await again.comeBack(provider.signIn(await again.begin()));
    assert.equal(target, "/#/sign-in/disabled");
    assert.equal(await again.isSignedIn(), false);
  });
  await t.step("each is in the audit log", async () => {
    const lines = (await auditOf(it.server)).filter(({ action }) => action === "session.start");
    assert.ok(lines.length >= 4 && lines.every(({ outcome }) => outcome === "ok"));
  });
});

Deno.test("C 27 a sign-in by the provider that is forged is refused", async (t) => {
  await using it = await providerRoom();
  const { provider } = it;
  const attempt = async (
    change: (answer: URLSearchParams, browser: ProviderBrowser) => void | Promise<void> = () => {},
  ) => {
    const browser = it.browser();
    const answer = provider.signIn(await browser.begin());
    await change(answer, browser);
    const target = await browser.comeBack(answer);
    const isIn = await browser.isSignedIn();
    assert.equal(isIn, target === "/");
    return target;
  };
  const REFUSED = "/#/sign-in/refused";
  const other = await jose.generateKeyPair("RS256");
  const now = () => Math.floor(Date.now() / 1000);
  const tokens: Record<string, FakeProvider["answers"]> = {
    "a token of another issuer": { claims: (it) => ({ ...it, iss: "https://evil.example" }) },
    "a token for another audience": { claims: (it) => ({ ...it, aud: "another" }) },
    "a token for several, and another one's": {
      claims: (it) => ({ ...it, aud: ["strongroom", "another"], azp: "another" }),
    },
    "a token with another nonce": { claims: (it) => ({ ...it, nonce: "another" }) },
    "a token without a nonce": { claims: ({ nonce: _, ...it }) => it },
    "a token that has expired": { claims: (it) => ({ ...it, exp: now() - 60 }) },
    "a token without a subject": { claims: ({ sub: _, ...it }) => it },
    "a token that nobody has signed": {
      token: (it) => new jose.UnsecuredJWT(it).encode(),
    },
    "a token with another key": {
      token: (it) =>
        new jose.SignJWT(it).setProtectedHeader({ alg: "RS256", kid: "first" }).sign(
          other.privateKey,
        ),
    },
    "a token signed with the secret of the client": {
      token: (it) =>
        new jose.SignJWT(it).setProtectedHeader({ alg: "HS256" })
          .sign(new TextEncoder().encode("a secret".padEnd(32))),
    },
    "a token that is none": { token: () => "none" },
    "groups that are no names": { claims: (it) => ({ ...it, groups: [{}] }) },
  };
  for (const [title, answers] of Object.entries(tokens)) {
    await t.step(title, async () => {
      provider.answers = answers;
      assert.equal(await attempt(), REFUSED);
    });
  }
  await t.step(
    "a token of a clock that is a little behind, or ahead, is none of them",
    async () => {
      for (const seconds of [-20, 20]) {
        const time = now() + seconds;
        provider.answers = { claims: (it) => ({ ...it, iat: time, nbf: time, exp: time + 10 }) };
        assert.equal(await attempt(), "/", String(seconds));
      }
      provider.answers = { claims: (it) => ({ ...it, nbf: now() + 60 }) };
      assert.equal(await attempt(), REFUSED);
    },
  );
  provider.answers = {};
  await t.step("a code that was used", async () => {
    const browser = it.browser();
    const answer = provider.signIn(await browser.begin());
    const { cookie } = browser;
    assert.equal(await browser.comeBack(answer), "/");
    const again = it.browser();
    again.cookie = cookie;
    assert.equal(await again.comeBack(answer), REFUSED);
  });
  await t.step(
    "a state that another browser has begun with: nobody is signed in as somebody else",
    async () => {
      const attacker = it.browser();
      const answer = provider.signIn(await attacker.begin());
      const victim = it.browser();
      assert.equal(await victim.comeBack(answer), REFUSED);
      await victim.begin();
      assert.equal(await victim.comeBack(answer), REFUSED);
    },
  );
  await t.step("another state", async () => {
    assert.equal(await attempt((answer) => answer.set("state", "another")), REFUSED);
    assert.equal(await attempt((answer) => answer.delete("state")), REFUSED);
  });
  await t.step("a code of another sign-in, which PKCE tells", async () => {
    const stolen = provider.signIn(await it.browser().begin()).get("code") ?? "";
    assert.equal(await attempt((answer) => answer.set("code", stolen)), REFUSED);
  });
  await t.step("an answer of a second provider, mixed up with this one", async () => {
    assert.equal(await attempt((answer) => answer.set("iss", "https://evil.example")), REFUSED);
  });
  await t.step("an error of the provider", async () => {
    const refused = (answer: URLSearchParams) => {
      answer.delete("code");
      answer.set("error", "access_denied");
      answer.set("error_description", "<script>");
    };
    assert.equal(await attempt(refused), REFUSED);
  });
  await t.step("a cookie that was changed, is another's, or is there twice", async () => {
    const changed = (_: URLSearchParams, browser: ProviderBrowser) =>
      void (browser.cookie = browser.cookie.slice(0, -3));
    assert.equal(await attempt(changed), REFUSED);
    const twice = (_: URLSearchParams, browser: ProviderBrowser) =>
      void (browser.cookie += `; ${browser.cookie}`);
    assert.equal(await attempt(twice), REFUSED);
  });
  await t.step("nothing leads elsewhere", async () => {
    const browser = it.browser();
    const { url } = await browser.ask(
      "POST",
      "/sign-in/provider?redirect_uri=https://evil.example",
      {
        redirect_uri: "https://evil.example",
      },
    );
    assert.equal(
      new URL(String(url)).searchParams.get("redirect_uri"),
      `${it.server.origin}/console/sign-in/provider/callback`,
    );
    const answer = provider.signIn(String(url));
    answer.set("redirect_uri", "https://evil.example");
    assert.equal(await browser.comeBack(answer), "/");
  });
});

Deno.test("C 27 a provider that is away is said so, and nobody else stays out", async () => {
  const gone = await FakeProvider.start();
  const { issuer } = gone;
  await gone[Symbol.asyncDispose]();
  await using server = await TestServer.start({
    settings: { oidcIssuer: issuer, oidcClientId: "strongroom" },
  });
  const browser = new TestConsole(server);
  const { status, code } = await browser.send("POST", "/sign-in/provider");
  assert.deepEqual([status, code], [503, "ErrUnavailable"]);
  assert.deepEqual(await browser.ask("GET", "/sign-in"), {
    passkeys: false,
    provider: new URL(issuer).host,
  });
  const user = await server.as(1);
  assert.equal((await user.list()).status, 200);
});
