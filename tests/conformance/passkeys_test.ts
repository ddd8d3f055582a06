import * as assert from "node:assert/strict";
import * as v from "valibot";
import { NewTokenEntry } from "../../schemas/tokens.ts";
import { auditOf } from "../support/audit.ts";
import { type Said, TestAuthenticator } from "../support/authenticator.ts";
import { Client, dataOf, refused } from "../support/client.ts";
import { addPerson, inviteTo, TestConsole, tokenIn } from "../support/console.ts";
import { TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

async function room(groups?: readonly string[]) {
  const server = await TestServer.start();
  const admin = await server.as(1000, "users.admin", "resources.admin");
  const number = await addPerson(admin, "ana", groups);
  return {
    server,
    admin,
    number,
    browser: () => new TestConsole(server),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** A room whose person has a passkey and is signed in. */
async function entered(groups?: readonly string[]) {
  const made = await room(groups);
  const key = new TestAuthenticator();
  const ana = made.browser();
  const reply = await ana.accept(await inviteTo(made.admin, "ana"), key, "laptop");
  assert.equal(reply.status, 200, reply.msg);
  return { ...made, key, ana, first: reply.data };
}

Deno.test("C 27 a person accepts an invitation with a passkey, and signs in with it from then on", async (t) => {
  await using it = await entered();
  const { ana, key, number, first } = it;

  await t.step("it is signed in at once, as itself", async () => {
    const { name: _, expires_at, privileges, ...who } = first;
    assert.deepEqual(who, {
      ...{ user_id: number, user_name: "ana", is_person: true, of_provider: false },
      ...{ trees: {}, tree_names: {}, history_ms: 30 * 86_400_000, has_mirror: false },
    });
    assert.ok(privileges.includes("resources.upload") && !privileges.includes("resources.admin"));
    const left = Date.parse(expires_at) - Date.now();
    assert.ok(left > 0 && left <= 12 * 3_600_000);
    assert.equal((await ana.send("POST", "/api/resources/mkdir", { path: "a" })).status, 200);
  });
  await t.step("another browser signs in with the passkey, in a session of its own", async () => {
    const other = it.browser();
    const { status, data } = await other.signIn(key);
    assert.equal(status, 200);
    assert.notEqual(data.name, first.name);
    assert.equal(await ana.isSignedIn(), true);
  });
  await t.step("the means and the label are listed, and the last use", async () => {
    const { items } = await ana.ask("GET", "/passkeys");
    assert.equal(items.length, 1);
    assert.equal(items[0].label, "laptop");
    assert.ok(items[0].last_used_at >= items[0].created_at);
    const sessions = (await ana.ask("GET", "/sessions")).items;
    assert.deepEqual(sessions.map((session: { means: string }) => session.means), [
      "passkey",
      "passkey",
    ]);
  });
  await t.step("both are in the audit log, by number", async () => {
    const changes = (await auditOf(it.server)).filter(({ action }) =>
      /^(passkey|session)/.test(String(action))
    );
    assert.deepEqual(
      changes.map(({ action, user, outcome }) => [action, user, outcome]),
      [["passkey.add", number, "ok"], ["session.start", number, "ok"]],
    );
  });
});

Deno.test("C 27 an invitation is for one use within 24 hours, and a new one replaces it", async (t) => {
  await using it = await room();
  const open = async (url: string) => {
    const { status, code } = await it.browser().send("POST", "/invitation", {
      token: tokenIn(url),
    });
    return status === 200 ? "open" : code;
  };
  const former = await inviteTo(it.admin, "ana");
  const url = await inviteTo(it.admin, "ana");

  await t.step("a former one is over", async () => {
    assert.equal(await open(former), "ErrInvitationsNotFound");
    assert.equal(await open(url), "open");
  });
  await t.step("a text that is none, or that leads elsewhere", async () => {
    for (const token of ["", "x".repeat(32), "../session", "é".repeat(32)]) {
      assert.equal(await open(token), "ErrInvitationsNotFound", token);
    }
  });
  await t.step("two browsers at once: one of them gets in", async () => {
    const two = [it.browser(), it.browser()];
    const replies = await Promise.all(two.map((one) => one.accept(url, new TestAuthenticator())));
    assert.deepEqual(replies.map(({ code }) => code).sort(), ["ErrInvitationsNotFound", undefined]);
    assert.equal(await open(url), "ErrInvitationsNotFound");
  });
  await t.step("after 24 hours", async () => {
    const late = await inviteTo(it.admin, "ana");
    const clock = Date.now;
    Date.now = () => clock() + 24 * 3_600_000;
    try {
      assert.equal(await open(late), "ErrInvitationsNotFound");
    } finally {
      Date.now = clock;
    }
  });
  await t.step("nobody invites without users.admin, nor a team, nor nobody", async () => {
    const user = await it.server.as(2);
    refused(await user.send("POST", "/users/ana/invitations"), 403, "ErrNotPermitted");
    await it.admin.json("POST", "/teams/", { name: "vision" });
    for (const name of ["vision", "nobody"]) {
      refused(await it.admin.send("POST", `/users/${name}/invitations`), 404, "ErrUsersNotFound");
    }
  });
});

Deno.test("C 27 a passkey that is not made as it was asked for is refused, and the invitation stays", async (t) => {
  await using it = await room();
  const url = await inviteTo(it.admin, "ana");
  const token = tokenIn(url);
  const attempt = async (change: {
    said?: Partial<Said>;
    challenge?: string;
    step?: string;
  }) => {
    const browser = it.browser();
    const { options, step } = await browser.ask("POST", "/invitation", { token });
    const challenge = change.challenge ?? options.challenge;
    const said = { origin: browser.origin, ...change.said };
    const response = new TestAuthenticator().create({ challenge }, said);
    const answer = { token, step: change.step ?? step, label: "a key", response };
    const { code } = await browser.send("POST", "/invitation/answer", answer);
    assert.equal(await browser.isSignedIn(), false);
    return code;
  };
  const wrong = {
    "of another origin": { said: { origin: "http://evil.example" } },
    "of another host": { said: { rpId: "evil.example" } },
    "without the person": { said: { isVerified: false } },
    "with another challenge": { challenge: "AAAA" },
    "with a step that is none": { step: "AAAA" },
  };
  for (const [title, change] of Object.entries(wrong)) {
    await t.step(title, async () => assert.equal(await attempt(change), "ErrAuthRequired"));
  }
  await t.step("with the step of another person", async () => {
    await addPerson(it.admin, "bob");
    const bob = tokenIn(await inviteTo(it.admin, "bob"));
    const { step, options } = await it.browser().ask("POST", "/invitation", { token: bob });
    assert.equal(await attempt({ step, challenge: options.challenge }), "ErrAuthRequired");
  });
  await t.step("it still counts", async () => {
    assert.equal((await it.browser().accept(url, new TestAuthenticator())).status, 200);
  });
});

Deno.test("C 27 a sign-in that is forged or repeated is refused", async (t) => {
  await using it = await entered();
  const { key } = it;
  const attempt = async (
    { said, with: authenticator = key, edit = (answer) => answer }: {
      said?: Partial<Said>;
      with?: TestAuthenticator;
      edit?: (answer: Record<string, unknown>) => unknown;
    },
  ) => {
    const browser = it.browser();
    const { options, step } = await browser.ask("POST", "/sign-in/passkey");
    const response = authenticator.get(options, { origin: browser.origin, ...said });
    const { code } = await browser.send(
      "POST",
      "/sign-in/passkey/answer",
      edit({ step, response }),
    );
    return code;
  };
  const wrong: Record<string, Parameters<typeof attempt>[0]> = {
    "of another origin": { said: { origin: "http://evil.example" } },
    "of another host": { said: { rpId: "evil.example" } },
    "without the person": { said: { isVerified: false } },
    "by a key that is not known": { with: new TestAuthenticator() },
    "with a counter that goes back": { said: { counter: 1 } },
    "without a step": { edit: (answer) => ({ ...answer, step: "" }) },
  };
  for (const [title, change] of Object.entries(wrong)) {
    await t.step(title, async () => assert.equal(await attempt(change), "ErrAuthRequired"));
  }
  await t.step("signed by another key in the name of this one", async () => {
    const other = new TestAuthenticator();
    const { options, step } = await it.browser().ask("POST", "/sign-in/passkey");
    const response = other.get(options, { ...it.browser(), origin: it.server.origin, counter: 90 });
    const { id, rawId } = key.get(options, { origin: it.server.origin });
    const answer = { step, response: { ...response, id, rawId } };
    const { code } = await it.browser().send("POST", "/sign-in/passkey/answer", answer);
    assert.equal(code, "ErrAuthRequired");
  });
  await t.step("the step of a registration", async () => {
    const { step } = await it.ana.ask("POST", "/passkeys");
    assert.equal(await attempt({ edit: (answer) => ({ ...answer, step }) }), "ErrAuthRequired");
  });
  await t.step("an answer that has been used", async () => {
    const browser = it.browser();
    const { options, step } = await browser.ask("POST", "/sign-in/passkey");
    // Many authenticators do not count.
    const response = key.get(options, { origin: browser.origin, counter: 100 });
    const answer = { step, response };
    assert.equal((await browser.send("POST", "/sign-in/passkey/answer", answer)).status, 200);
    const again = await it.browser().send("POST", "/sign-in/passkey/answer", answer);
    assert.equal(again.code, "ErrAuthRequired");
  });
  await t.step("after ten minutes", async () => {
    const browser = it.browser();
    const { options, step } = await browser.ask("POST", "/sign-in/passkey");
    const response = key.get(options, { origin: browser.origin, counter: 200 });
    const clock = Date.now;
    Date.now = () => clock() + 601_000;
    try {
      const { code } = await browser.send("POST", "/sign-in/passkey/answer", { step, response });
      assert.equal(code, "ErrAuthRequired");
    } finally {
      Date.now = clock;
    }
  });
  await t.step("from a page that is not the console", async () => {
    for (const path of ["/sign-in/passkey", "/invitation", "/passkeys"]) {
      const response = await fetch(`${it.server.origin}/console${path}`, { method: "POST" });
      await response.body?.cancel();
      assert.equal(response.status, 403, path);
    }
  });
});

Deno.test("C 27 a person has several passkeys, and a lost one is answered by an invitation", async () => {
  await using it = await entered();
  const { ana, key } = it;
  const second = new TestAuthenticator();
  const add = async (authenticator: TestAuthenticator) => {
    const { options, step } = await ana.ask("POST", "/passkeys");
    const response = authenticator.create(options, ana);
    return await ana.send("POST", "/passkeys/answer", { step, label: "phone", response });
  };
  assert.equal((await add(second)).status, 200);
  assert.equal((await add(second)).code, "ErrResourcesInvalidRequest");
  assert.equal((await it.browser().signIn(second)).status, 200);
  // Both are lost.
  const found = new TestAuthenticator();
  const anew = it.browser();
  assert.equal((await anew.accept(await inviteTo(it.admin, "ana"), found)).status, 200);
  const { items } = await anew.ask("GET", "/passkeys");
  assert.equal(items.length, 3);
  for (const authenticator of [key, second]) {
    const id = authenticator.id.toString("base64url");
    assert.equal((await anew.send("DELETE", `/passkeys/${id}`)).status, 200);
    assert.equal((await anew.send("DELETE", `/passkeys/${id}`)).code, "ErrPasskeysNotFound");
    assert.equal((await it.browser().signIn(authenticator)).code, "ErrAuthRequired");
  }
  assert.equal((await it.browser().signIn(found)).status, 200);
  // Nobody removes those of others.
  await addPerson(it.admin, "bob");
  const bob = it.browser();
  await bob.accept(await inviteTo(it.admin, "bob"), new TestAuthenticator());
  const id = found.id.toString("base64url");
  assert.equal((await bob.send("DELETE", `/passkeys/${id}`)).code, "ErrPasskeysNotFound");
});

Deno.test("C 27 disabling a person ends its sessions, credentials and links at once", async () => {
  await using it = await entered();
  const { ana, key, admin } = it;
  const invitation = await inviteTo(admin, "ana");
  const { token } = await ana.ask("POST", "/api/tokens/", {
    privileges: ["resources.view"],
    short: true,
  });
  const client = new Client(it.server.url, token);
  assert.equal((await client.list()).status, 200);
  const path = { path: "a.txt", expires_in: "1d" };
  await (await it.server.as(it.number)).upload("", { "a.txt": "hello" });
  const { url } = await ana.ask("POST", "/api/links/", path);
  dataOf(await admin.json("PATCH", "/users/ana", { disabled: true }));

  assert.equal(await ana.isSignedIn(), false);
  assert.equal((await ana.send("GET", "/api/resources/")).code, "ErrAuthRequired");
  assert.equal((await client.list()).status, 401);
  assert.equal((await fetch(url)).status, 404);
  assert.equal((await it.browser().signIn(key)).code, "ErrNotPermitted");
  const opened = await it.browser().send("POST", "/invitation", { token: tokenIn(invitation) });
  assert.equal(opened.code, "ErrNotPermitted");
  refused(await admin.send("POST", "/users/ana/invitations"), 403, "ErrNotPermitted");

  dataOf(await admin.json("PATCH", "/users/ana", { disabled: false }));
  assert.equal(await ana.isSignedIn(), false);
  assert.equal((await it.browser().signIn(key)).status, 200);
});

Deno.test("C 27 sessions are listed and ended, and begin with a key of their own", async (t) => {
  await using it = await entered();
  const { ana, key } = it;
  const other = it.browser();
  await other.signIn(key);
  interface Listed {
    readonly name: string;
    readonly browser: string;
    readonly address: string;
    readonly is_current: boolean;
  }
  const sessions = async (): Promise<Listed[]> => (await ana.ask("GET", "/sessions")).items;

  await t.step("with browser and address, the present one marked", async () => {
    const listed = await sessions();
    assert.deepEqual(listed.map(({ name, is_current }) => [name, is_current]), [
      [other.session, false],
      [ana.session, true],
    ]);
    assert.ok(
      listed.every(({ browser, address }) => /Deno/.test(browser) && address === "127.0.0.1"),
    );
  });
  await t.step("one is ended, with its streams", async () => {
    const stream = await fetch(`${it.server.origin}/console/api/events/`, {
      headers: { "X-Strongroom-Console": other.session, Cookie: other.cookie },
    });
    assert.equal(stream.status, 200);
    await ana.ask("DELETE", `/sessions/${other.session}`);
    assert.equal(await other.isSignedIn(), false);
    await ana.ask("POST", "/api/resources/mkdir", { path: "later" });
    assert.doesNotMatch(await stream.text(), /later/);
    assert.deepEqual((await sessions()).map(({ name }) => name), [ana.session]);
  });
  await t.step("not those of others", async () => {
    await addPerson(it.admin, "bob");
    const bob = it.browser();
    await bob.accept(await inviteTo(it.admin, "bob"), new TestAuthenticator());
    assert.equal(
      (await bob.send("DELETE", `/sessions/${ana.session}`)).code,
      "ErrSessionsNotFound",
    );
    assert.equal(await ana.isSignedIn(), true);
  });
  await t.step(
    "a key that somebody has placed in the browser does not become the session's",
    async () => {
      const browser = it.browser();
      const [name] = ana.cookie.split("=");
      browser.cookie = `${name}=${"A".repeat(43)}`;
      await browser.signIn(key);
      assert.doesNotMatch(browser.cookie, /A{43}/);
      // Nor does the session before go on.
      const before = browser.cookie;
      await browser.signIn(key);
      const old = it.browser();
      old.cookie = before;
      assert.equal(await old.isSignedIn(), false);
    },
  );
});

Deno.test("C 27 what a person mints outlives the session, and permits no more than the person may now", async (t) => {
  await using it = await entered(["admins"]);
  const { ana, admin, number } = it;
  const mint = async (body: Record<string, unknown>) => {
    const { token, jti } = await ana.ask("POST", "/api/tokens/", body);
    return { jti, client: new Client(it.server.url, token) };
  };
  const everything = { privileges: ["resources.admin"] };
  const [short, signed] = [await mint({ ...everything, short: true }), await mint(everything)];
  const entry = v.parse(
    NewTokenEntry,
    dataOf(await short.client.json("POST", "/tokens/", everything)),
  );
  const derived = new Client(it.server.url, entry.token);
  const all = { short: short.client, signed: signed.client, derived };
  const mayListWaivers = () =>
    Promise.all(Object.values(all).map(async (one) => (await one.send("GET", "/waivers/")).status));

  await t.step("they last for 90 days by default, and for a year at most", async () => {
    const { expires_at } = await ana.ask("POST", "/api/tokens/", everything);
    const days = (Date.parse(expires_at) - Date.now()) / 86_400_000;
    assert.ok(days > 89 && days <= 90);
    const longer = { ...everything, expires_in: "366d" };
    assert.equal(
      (await ana.send("POST", "/api/tokens/", longer)).code,
      "ErrResourcesInvalidRequest",
    );
  });
  await t.step("they go on without the session", async () => {
    await ana.ask("DELETE", "/session");
    assert.deepEqual(await mayListWaivers(), [200, 200, 200]);
  });
  await t.step("they do less when the person may do less, and the same again", async () => {
    // What a person may do is believed for a second.
    const be = async (groups: readonly string[], statuses: readonly number[]) => {
      dataOf(await admin.json("PATCH", "/users/ana", { groups }));
      await until(async () => {
        const mkdir = await short.client.mkdir(crypto.randomUUID());
        return [mkdir.status, ...await mayListWaivers()].join() === statuses.join();
      });
    };
    await be(["members"], [200, 403, 403, 403]);
    await be([], [403, 403, 403, 403]);
    await be(["admins"], [200, 200, 200, 200]);
  });
  await t.step("they are revoked by the person, also when it may do less", async () => {
    dataOf(await admin.json("PATCH", "/users/ana", { groups: [] }));
    const browser = it.browser();
    assert.equal((await browser.signIn(it.key)).status, 200);
    await browser.ask("DELETE", `/api/tokens/${short.jti}`);
    assert.equal((await short.client.list()).status, 401);
    assert.equal((await derived.list()).status, 401);
    await until(async () => (await signed.client.list()).status === 403);
  });
  await t.step("one that an operator mints for its number is bound by nothing", async () => {
    const made = await it.server.as(number, "resources.admin");
    assert.equal((await made.send("GET", "/waivers/")).status, 200);
  });
});

Deno.test("C 27 a session of a credential makes no passkeys, and sees its sessions", async () => {
  await using it = await room();
  const token = (await it.server.as(it.number)).token;
  const browser = it.browser();
  browser.session = (await browser.ask("POST", "/session", { credential: token })).name;
  for (
    const [method, path] of [["GET", "/passkeys"], ["POST", "/passkeys"], [
      "DELETE",
      "/passkeys/x",
    ]] as const
  ) {
    assert.equal((await browser.send(method, path)).code, "ErrNotPermitted");
  }
  const { items } = await browser.ask("GET", "/sessions");
  assert.deepEqual(items.map((it: { means: string }) => it.means), ["credential"]);
});
