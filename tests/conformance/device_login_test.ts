import * as assert from "node:assert/strict";
import * as oauth from "openid-client";
import * as v from "valibot";
import { auditOf } from "../support/audit.ts";
import { TestAuthenticator } from "../support/authenticator.ts";
import { Client, dataOf } from "../support/client.ts";
import { addPerson, inviteTo, TestConsole } from "../support/console.ts";
import { TestServer } from "../support/server.ts";

const Waiting = v.object({
  device_code: v.string(),
  user_code: v.pipe(v.string(), v.regex(/^[B-Z]{4}-[B-Z]{4}$/)),
  verification_uri: v.string(),
  verification_uri_complete: v.string(),
  expires_in: v.literal(600),
  interval: v.literal(5),
});

async function entered() {
  const server = await TestServer.start();
  const admin = await server.as(1000, "users.admin", "resources.admin");
  await addPerson(admin, "ana");
  const ana = new TestConsole(server);
  await ana.accept(await inviteTo(admin, "ana"), new TestAuthenticator());
  const post = async (path: string, form: Record<string, string>) => {
    const response = await fetch(`${server.origin}/console/device${path}`, {
      method: "POST",
      body: new URLSearchParams(form),
    });
    return [response.status, await response.json()] as const;
  };
  return {
    server,
    admin,
    ana,
    begin: async (machine = "laptop") => v.parse(Waiting, (await post("", { machine }))[1]),
    poll: async (device_code: string) => {
      const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
      const [, reply] = await post("/token", { grant_type, device_code });
      return reply;
    },
    post,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

Deno.test("C 27 a machine is logged in with a code that its person approves (RFC 8628)", async (t) => {
  await using it = await entered();
  const { ana } = it;
  const waiting = await it.begin();
  const logins = `/logins/${waiting.user_code}`;

  await t.step("it waits", async () => {
    assert.equal(waiting.verification_uri, `${it.server.origin}/#/login`);
    assert.equal(
      waiting.verification_uri_complete,
      `${it.server.origin}/#/login/${waiting.user_code}`,
    );
    assert.deepEqual(await it.poll(waiting.device_code), { error: "authorization_pending" });
  });
  await t.step("the person sees which machine, however the code is written", async () => {
    const { created_at: _, ...shown } = await ana.ask("GET", logins);
    assert.deepEqual(shown, { machine: "laptop", address: "127.0.0.1" });
    const written = waiting.user_code.toLowerCase().replace("-", " ");
    assert.equal(
      (await ana.ask("GET", `/logins/${encodeURIComponent(written)}`)).machine,
      "laptop",
    );
  });
  let token = "";
  await t.step("it gets a credential of the person, named after it, once", async () => {
    await ana.ask("POST", logins, { approve: true });
    const reply = await it.poll(waiting.device_code);
    assert.equal(reply.token_type, "Bearer");
    token = reply.access_token;
    assert.match(token, /^hf_\w{37}$/);
    assert.deepEqual(await it.poll(waiting.device_code), { error: "expired_token" });
    const client = new Client(it.server.url, token);
    assert.equal((await client.mkdir("from the laptop")).status, 200);
    const { items } = await ana.ask("GET", "/api/tokens/");
    assert.deepEqual([items[0].label, items[0].parent], ["laptop", null]);
  });
  await t.step("it is revoked in the console, and ends with its person", async () => {
    const { items } = await ana.ask("GET", "/api/tokens/");
    await ana.ask("DELETE", `/api/tokens/${items[0].jti}`);
    assert.equal((await new Client(it.server.url, token).list()).status, 401);
  });
  await t.step("it is in the audit log", async () => {
    const actions = (await auditOf(it.server)).map(({ action, outcome }) => `${action} ${outcome}`);
    assert.ok(actions.includes("login.decide ok") && actions.includes("token.mint ok"));
  });
});

Deno.test("C 27 a client of OAuth logs in by the device flow", async () => {
  await using it = await entered();
  const endpoint = `${it.server.origin}/console/device`;
  const configuration = new oauth.Configuration(
    {
      issuer: it.server.origin,
      device_authorization_endpoint: endpoint,
      token_endpoint: `${endpoint}/token`,
    },
    "strongroom",
    undefined,
    oauth.None(),
  );
  oauth.allowInsecureRequests(configuration);
  const waiting = await oauth.initiateDeviceAuthorization(configuration, { machine: "build host" });
  await it.ana.ask("POST", `/logins/${waiting.user_code}`, { approve: true });
  const { access_token } = await oauth.pollDeviceAuthorizationGrant(configuration, waiting);
  assert.equal((await new Client(it.server.url, access_token).list()).status, 200);
});

Deno.test("C 27 a machine that is refused, unknown, late or nobody's gets nothing", async (t) => {
  await using it = await entered();
  const { ana } = it;

  await t.step("refused, and decided about once", async () => {
    const { device_code, user_code } = await it.begin();
    await ana.ask("POST", `/logins/${user_code}`, { approve: false });
    const again = await ana.send("POST", `/logins/${user_code}`, { approve: true });
    assert.equal(again.code, "ErrLoginsNotFound");
    assert.deepEqual(await it.poll(device_code), { error: "access_denied" });
  });
  await t.step("unknown, and with the code of the person", async () => {
    const { user_code } = await it.begin();
    for (const code of ["", "x".repeat(43), user_code]) {
      assert.deepEqual(await it.poll(code), { error: "expired_token" });
    }
    assert.equal((await ana.send("GET", "/logins/BBBB-BBBB")).code, "ErrLoginsNotFound");
  });
  await t.step("by another grant", async () => {
    const [status, reply] = await it.post("/token", { grant_type: "password", password: "x" });
    assert.deepEqual([status, reply], [400, { error: "unsupported_grant_type" }]);
  });
  await t.step("after ten minutes", async () => {
    const { device_code, user_code } = await it.begin();
    const clock = Date.now;
    Date.now = () => clock() + 601_000;
    try {
      assert.equal((await ana.send("GET", `/logins/${user_code}`)).code, "ErrLoginsNotFound");
      assert.deepEqual(await it.poll(device_code), { error: "expired_token" });
    } finally {
      Date.now = clock;
    }
  });
  await t.step("not by a credential, nor by a page of somebody else's", async () => {
    const { user_code } = await it.begin();
    const other = new TestConsole(it.server);
    const { token } = await it.server.as(1);
    other.session = (await other.ask("POST", "/session", { credential: token })).name;
    const path = `/logins/${user_code}`;
    assert.equal((await other.send("POST", path, { approve: true })).code, "ErrNotPermitted");
    const foreign = await ana.send("POST", path, { approve: true }, {
      "Sec-Fetch-Site": "cross-site",
    });
    assert.equal(foreign.code, "ErrNotPermitted");
    assert.equal((await new TestConsole(it.server).send("GET", path)).code, "ErrAuthRequired");
  });
  await t.step("a person who was disabled since it approved", async () => {
    const { device_code, user_code } = await it.begin();
    await ana.ask("POST", `/logins/${user_code}`, { approve: true });
    dataOf(await it.admin.json("PATCH", "/users/ana", { disabled: true }));
    assert.deepEqual(await it.poll(device_code), {
      error: "access_denied",
      error_description: "The session was ended for you",
    });
  });
  await t.step("a server whose people have no way in says so", async () => {
    await using server = await TestServer.start();
    const response = await fetch(`${server.origin}/console/device`, {
      method: "POST",
      body: new URLSearchParams({ machine: "laptop" }),
    });
    assert.deepEqual([response.status, await response.json()], [400, {
      error: "unauthorized_client",
    }]);
  });
});

Deno.test("C 27 a person who may do nothing is told so, and so is its machine", async (t) => {
  await using it = await entered();
  const { device_code, user_code } = await it.begin();
  const clock = performance.now;
  let ahead = 0;
  performance.now = () => clock.call(performance) + ahead;
  using _clock = { [Symbol.dispose]: () => void (performance.now = clock) };
  const groupsAre = async (...groups: string[]) => {
    dataOf(await it.admin.json("PATCH", "/users/ana", { groups }));
    // What a person may do is believed for a second.
    ahead += 1000;
  };
  await t.step("the person, who approves it later", async () => {
    await groupsAre();
    const reply = await it.ana.send("POST", `/logins/${user_code}`, { approve: true });
    assert.equal(reply.code, "ErrNotPermitted");
    assert.match(reply.msg, /ask an administrator/);
    assert.deepEqual(await it.poll(device_code), { error: "authorization_pending" });
  });
  await t.step("the machine, if the person has lost its groups since", async () => {
    await groupsAre("members");
    await it.ana.ask("POST", `/logins/${user_code}`, { approve: true });
    await groupsAre();
    const { error, error_description: reason } = await it.poll(device_code);
    assert.equal(error, "access_denied");
    assert.match(reason, /ask an administrator/);
    const { items } = await it.ana.ask("GET", "/sessions");
    assert.equal(items.length, 1);
  });
});

Deno.test("C 27 the credential of a machine lasts for 30 days after its last use", async () => {
  await using it = await entered();
  const { device_code, user_code } = await it.begin();
  await it.ana.ask("POST", `/logins/${user_code}`, { approve: true });
  const { access_token } = await it.poll(device_code);
  const client = new Client(it.server.url, access_token);
  const { items: [{ jti }] } = await it.ana.ask("GET", "/api/tokens/");
  const day = 86_400_000;
  const used = Date.now() + 20 * day;
  await it.server.credentials.noteUses(new Map([[jti, used]]));
  const { items: [entry] } = await it.ana.ask("GET", "/api/tokens/");
  assert.equal(Date.parse(entry.expires_at), used + 30 * day);
  assert.equal((await client.list()).status, 200);
});
