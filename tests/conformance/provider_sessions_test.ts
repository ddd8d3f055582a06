import * as assert from "node:assert/strict";
import * as jose from "jose";
import { auditOf } from "../support/audit.ts";
import { refused } from "../support/client.ts";
import { providerRoom } from "../support/provider_room.ts";

const EVENT = "http://schemas.openid.net/event/backchannel-logout";

Deno.test("C 27 sessions end when the provider says so", async (t) => {
  await using it = await providerRoom();
  const { provider } = it;
  const entered = async (sid: string) => {
    provider.answers.claims = (claims) => ({ ...claims, sid });
    const browser = it.browser();
    await browser.comeBack(provider.signIn(await browser.begin()));
    return browser;
  };
  const now = Math.floor(Date.now() / 1000);
  const said = {
    iss: provider.issuer,
    aud: "strongroom",
    iat: now,
    exp: now + 120,
    jti: "logout 1",
    events: { [EVENT]: {} },
  };
  const logout = async (token: string) => {
    const response = await fetch(`${it.server.origin}/console/sign-in/provider/logout`, {
      method: "POST",
      body: new URLSearchParams({ logout_token: token }),
    });
    await response.body?.cancel();
    return response.status;
  };
  const [one, two] = [await entered("one"), await entered("two")];
  const isOpen = async () => [await one.isSignedIn(), await two.isSignedIn()];

  const wrong: Record<string, Record<string, unknown>> = {
    "for another audience": { aud: "another" },
    "of another issuer": { iss: "https://evil.example" },
    "with a nonce, as an ID token has": { nonce: "one" },
    "about something else": { events: { other: {} } },
    "that names nobody": { sub: undefined, sid: undefined },
    "from long ago": { iat: now - 4000 },
  };
  for (const [title, change] of Object.entries(wrong)) {
    await t.step(`not by a token ${title}`, async () => {
      const token = await provider.sign({ ...said, sub: "ana", sid: "one", ...change });
      assert.equal(await logout(token), 400);
      assert.deepEqual(await isOpen(), [true, true]);
    });
  }
  await t.step("not by a token that nobody has signed, or is none", async () => {
    const unsigned = new jose.UnsecuredJWT({ ...said, sub: "ana" }).encode();
    for (const token of [unsigned, "", "x"]) assert.equal(await logout(token), 400);
    assert.deepEqual(await isOpen(), [true, true]);
  });
  await t.step("one of them", async () => {
    assert.equal(await logout(await provider.sign({ ...said, sid: "one" })), 200);
    assert.deepEqual(await isOpen(), [false, true]);
  });
  await t.step("all of the person", async () => {
    assert.equal(await logout(await provider.sign({ ...said, sub: "nobody" })), 200);
    assert.deepEqual(await isOpen(), [false, true]);
    assert.equal(await logout(await provider.sign({ ...said, sub: "ana" })), 200);
    assert.deepEqual(await isOpen(), [false, false]);
  });
});

Deno.test("C 27 who signs in by the provider ends the session that was open in the browser", async () => {
  await using it = await providerRoom();
  const { provider } = it;
  const browser = it.browser();
  await browser.comeBack(provider.signIn(await browser.begin()));
  const { cookie } = browser;
  provider.answers.claims = (claims) => ({ ...claims, sub: "bob", preferred_username: "bob" });
  await browser.comeBack(provider.signIn(await browser.begin()));
  assert.equal((await browser.ask("GET", "/session")).user_name, "bob");
  const former = it.browser();
  former.cookie = cookie;
  assert.equal(await former.isSignedIn(), false);
});

Deno.test("C 27 people of a provider have no passkeys here, and are not invited to make any", async () => {
  await using it = await providerRoom();
  const ana = it.browser();
  await ana.comeBack(it.provider.signIn(await ana.begin()));
  assert.equal((await ana.ask("GET", "/session")).of_provider, true);
  assert.equal((await ana.send("POST", "/passkeys")).code, "ErrNotPermitted");
  refused(await it.admin.send("POST", "/users/ana/invitations"), 403, "ErrNotPermitted");
});

Deno.test("C 27 the audit log has whom a sign-in by the provider adds or changes, and how sessions end", async () => {
  await using it = await providerRoom();
  const { provider } = it;
  const browser = it.browser();
  const enter = async () => await browser.comeBack(provider.signIn(await browser.begin()));
  await enter();
  await enter();
  provider.answers.claims = (claims) => ({ ...claims, groups: ["other"] });
  await enter();
  await browser.ask("DELETE", "/session");
  await enter();
  const other = it.browser();
  await other.comeBack(provider.signIn(await other.begin()));
  const { items } = await other.ask("GET", "/sessions");
  const { name } = items.find(({ is_current }: { is_current: boolean }) => !is_current);
  await other.ask("DELETE", `/sessions/${name}`);
  const user = (await other.ask("GET", "/session")).user_id;
  const lines = (await auditOf(it.server)).filter(({ user: by }) => by === user);
  assert.ok(lines.every((line) => line.outcome === "ok" && line.tree === user && line.address));
  assert.deepEqual(
    lines.map(({ action, name, groups }) => [action, name, groups].join(" ").trim()),
    [
      "users.add ana vision",
      "session.start",
      "session.end",
      "session.start",
      "users.change ana other",
      "session.end",
      "session.start",
      "session.end",
      "session.start",
      "session.start",
      "session.end",
    ],
  );
});

Deno.test("C 27 the log says why a sign-in by the provider has failed, without secrets", async () => {
  await using it = await providerRoom();
  const { provider, server } = it;
  const attempt = async () => {
    const browser = it.browser();
    const answer = provider.signIn(await browser.begin());
    assert.equal(await browser.comeBack(answer), "/#/sign-in/refused");
    return [answer.get("code") ?? "", answer.get("state") ?? ""];
  };
  provider.answers.claims = (claims) => ({ ...claims, iss: "https://evil.example" });
  const secrets = await attempt();
  provider.answers = { refusal: { error: "invalid_client", error_description: "unknown secret" } };
  secrets.push(...await attempt());
  const causes = server.log.map((line) => JSON.parse(line)).filter(({ cause }) => cause);
  assert.deepEqual(causes.map(({ level, msg }) => [level, msg]), [
    ["warn", "Cannot sign in by the provider: its answer is not valid"],
    ["warn", "Cannot sign in by the provider: its answer is not valid"],
  ]);
  assert.match(causes[0].cause, /"iss"/);
  assert.match(causes[1].cause, /invalid_client: unknown secret/);
  const logged = server.log.join("\n");
  for (const secret of [...secrets, "a secret", "a+secret"]) assert.ok(!logged.includes(secret));
});
