import * as assert from "node:assert/strict";
import { refreshConsole } from "../../cli/supervisor/console_files.ts";
import { mintToken, TestServer, USER_PRIVILEGES } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";

const CONSOLE = { "X-Strongroom-Console": "none" };

/** A credential of user 1. */
function credential(options: Partial<Parameters<typeof mintToken>[0]> = {}): Promise<string> {
  return mintToken({ userId: 1, privileges: USER_PRIVILEGES, ...options });
}

async function signIn(
  server: TestServer,
  token: string,
  headers: Record<string, string> = CONSOLE,
): Promise<Response> {
  return await fetch(`${server.origin}/console/session`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify({ credential: token }),
  });
}

/** What a browser has after signing in: its cookie, and the headers that the page sends. */
async function signedIn(server: TestServer, token: string) {
  const response = await signIn(server, token);
  assert.equal(response.status, 200);
  const { data } = await response.json();
  const [cookie = ""] = (response.headers.get("Set-Cookie") ?? "").split(";");
  return { cookie, headers: { "X-Strongroom-Console": String(data.name) } };
}

async function signOut(server: TestServer, cookie: string): Promise<Response> {
  const response = await fetch(`${server.origin}/console/session`, {
    method: "DELETE",
    headers: { ...CONSOLE, Cookie: cookie },
  });
  await response.body?.cancel();
  return response;
}

/** A request of the console's API, with a cookie. Returns the status and the kind of error. */
async function ask(
  server: TestServer,
  path: string,
  { method = "GET", headers = CONSOLE, cookie, body }: {
    method?: string;
    headers?: Record<string, string>;
    cookie?: string;
    body?: string;
  },
): Promise<[status: number, code: string | undefined]> {
  const response = await fetch(`${server.origin}${path}`, {
    method,
    headers: { ...headers, ...(cookie !== undefined && { Cookie: cookie }) },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  return [response.status, text.startsWith("{") ? JSON.parse(text).code : undefined];
}

const LIST = "/console/api/resources/";
const OK = [200, undefined];

Deno.test("C 24 signing in opens a session, whose key is in a cookie of the console alone", async (t) => {
  await using server = await TestServer.start();
  const token = await credential();
  const session = await signedIn(server, token);
  const { cookie } = session;

  await t.step("it is HttpOnly, SameSite=Strict, and sent to the console only", async () => {
    const response = await signIn(server, token);
    assert.equal(response.status, 200);
    const { data } = await response.json();
    assert.equal(data.user_id, 1);
    assert.deepEqual(data.privileges, USER_PRIVILEGES);
    const set = response.headers.get("Set-Cookie") ?? "";
    assert.match(
      set,
      /^strongroom_console_[\da-f]{8}=[\w-]{43}; Path=\/console; HttpOnly; SameSite=Strict$/,
    );
    assert.doesNotMatch(JSON.stringify(data) + set, new RegExp(token.slice(-20)));
    assert.doesNotMatch(JSON.stringify(data), new RegExp(set.slice(28, 60)));
  });
  await t.step("C 31 it is Secure where clients use https, and no neighbor sets it", async () => {
    await using behindProxy = await TestServer.start({ settings: { origin: "https://x.example" } });
    const { headers, body } = await signIn(behindProxy, token);
    await body?.cancel();
    assert.match(
      headers.get("Set-Cookie") ?? "",
      /^__Host-strongroom_console_[\da-f]{8}=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
  });
  await t.step("an invalid credential sets none", async () => {
    for (const wrong of ["", "x", `${token}x`, await credential({ ttlSeconds: -100 })]) {
      const { status, headers, body } = await signIn(server, wrong);
      await body?.cancel();
      assert.deepEqual([status, headers.get("Set-Cookie")], [401, null]);
    }
  });
  await t.step("a credential that no request could have is refused with its length", async () => {
    const trees = Object.fromEntries(
      Array.from({ length: 300 }, (_, tree) => [String(tree + 2), ["resources.view"]]),
    );
    const response = await signIn(server, await credential({ trees }));
    assert.equal(response.status, 400);
    assert.match(
      (await response.json()).msg,
      /^The credential has \d+ characters \(maximum: 8192\)/,
    );
  });
  await t.step("it counts for the console", async () => {
    assert.deepEqual(await ask(server, LIST, session), OK);
    assert.deepEqual(await ask(server, "/console/session", { cookie }), OK);
  });
  await t.step("it does not count for the API, which takes bearer credentials only", async () => {
    for (const path of ["/api/v1/resources/", "/api/v1/events/", "/metrics"]) {
      assert.deepEqual(await ask(server, path, { cookie }), [401, "ErrAuthRequired"], path);
    }
  });
  await t.step("the console takes no bearer credential", async () => {
    const headers = { ...CONSOLE, Authorization: `Bearer ${token}` };
    assert.deepEqual(await ask(server, LIST, { headers }), [401, "ErrAuthRequired"]);
  });
  await t.step(
    "the credential itself opens nothing as a cookie, nor does another key",
    async () => {
      const [name = ""] = cookie.split("=");
      for (const value of [token, "x".repeat(43), "", "' OR 1=1"]) {
        const wrong = { ...session, cookie: `${name}=${value}` };
        assert.deepEqual(await ask(server, LIST, wrong), [401, "ErrAuthRequired"], value);
      }
    },
  );
  await t.step("of several cookies none counts: a neighbor domain may have set one", async () => {
    const other = await signedIn(server, await credential({ userId: 2 }));
    const both = { ...session, cookie: `${other.cookie}; ${cookie}` };
    assert.deepEqual(await ask(server, LIST, both), [401, "ErrAuthRequired"]);
  });
  await t.step("signing out removes it", async () => {
    const response = await signOut(server, cookie);
    const [name] = cookie.split("=");
    assert.equal(
      response.headers.get("Set-Cookie"),
      `${name}=; Path=/console; HttpOnly; SameSite=Strict; Max-Age=0`,
    );
  });
});

Deno.test("C 31 the session of the console ends at the server", async (t) => {
  await using directory = await TempDir.make();
  const start = () => TestServer.start({ dataDir: directory.path });
  const token = await credential();
  const over = [401, "ErrAuthRequired"];

  await t.step(
    "by signing out, also after a restart; others and the credential live on",
    async () => {
      let session, other;
      {
        await using server = await start();
        session = await signedIn(server, token);
        other = await signedIn(server, token);
        const stream = await fetch(`${server.origin}/console/api/events/`, {
          headers: { ...session.headers, Cookie: session.cookie },
        });
        assert.equal(stream.status, 200);
        await signOut(server, session.cookie);
        assert.deepEqual(await ask(server, LIST, session), over);
        assert.deepEqual(await ask(server, "/console/session", session), over);
        // The stream has no event after the end of its session.
        const user = await server.as(1);
        await user.mkdir("after");
        assert.doesNotMatch(await stream.text(), /after/);
        assert.equal(
          (await fetch(`${server.url}/resources/`, {
            headers: { Authorization: `Bearer ${token}` },
          })).status,
          200,
        );
      }
      await using server = await start();
      const [name = ""] = other.cookie.split("=");
      const [present = ""] = (await signedIn(server, token)).cookie.split("=");
      // The server has another port, and so another name for the cookie.
      const moved = ({ cookie, headers }: typeof session) => ({
        cookie: cookie.replace(name, present),
        headers,
      });
      assert.deepEqual(await ask(server, LIST, moved(session)), over);
      assert.deepEqual(await ask(server, LIST, moved(other)), OK);
    },
  );
  await t.step("by signing in anew in the same browser", async () => {
    await using server = await start();
    const before = await signedIn(server, token);
    const response = await signIn(server, token, { ...CONSOLE, Cookie: before.cookie });
    await response.body?.cancel();
    assert.deepEqual(await ask(server, LIST, before), over);
  });
  await t.step("with the credential, and the oldest of very many", async () => {
    await using server = await start();
    const admin = await server.admin();
    const session = await signedIn(server, await credential({ jti: "revoked soon" }));
    assert.deepEqual(await ask(server, LIST, session), OK);
    await admin.send("DELETE", "/tokens/revoked%20soon");
    assert.deepEqual(await ask(server, LIST, session), over);
    const first = await signedIn(server, token);
    for (let n = 0; n < 100; n++) await signedIn(server, token);
    assert.deepEqual(await ask(server, LIST, first), over);
  });
  await t.step("and no request of a page goes on in the session that follows", async () => {
    await using server = await start();
    const before = await signedIn(server, token);
    const after = await signedIn(server, await credential({ userId: 2 }));
    const mixed = { cookie: after.cookie, headers: before.headers };
    assert.deepEqual(await ask(server, LIST, mixed), over);
    assert.deepEqual(await ask(server, LIST, { ...mixed, headers: CONSOLE }), over);
    assert.deepEqual(await ask(server, "/console/session", mixed), OK);
  });
  await t.step("a server on another port has a cookie of another name", async () => {
    await using one = await start();
    await using two = await TestServer.start();
    const [first] = (await signedIn(one, token)).cookie.split("=");
    const [second] = (await signedIn(two, token)).cookie.split("=");
    assert.notEqual(first, second);
  });
});

Deno.test("C 24 a revoked or expired credential ends the session of the console", async () => {
  await using server = await TestServer.start();
  // The leeway for clocks is 30 s.
  const session = await signedIn(server, await credential({ ttlSeconds: -26 }));
  assert.deepEqual(await ask(server, LIST, session), OK);
  await until(async () => (await ask(server, LIST, session))[0] !== 200);
  assert.deepEqual(await ask(server, LIST, session), [401, "ErrAuthRequired"]);
  const withoutCookie = await ask(server, LIST, {});
  assert.deepEqual(withoutCookie, [401, "ErrAuthRequired"]);
});

Deno.test("C 24 pages of other origins can do nothing by the cookie of the console", async (t) => {
  await using server = await TestServer.start({ settings: { corsOrigins: ["*"] } });
  const token = await credential();
  const { cookie, headers: own } = await signedIn(server, token);
  const forged = async (path: string, method: string, headers: Record<string, string>) =>
    (await ask(server, path, {
      method,
      headers,
      cookie,
      ...(method === "POST" && { body: '{"path":"forged"}' }),
    }))[0];
  const json = { "Content-Type": "application/json" };

  await t.step("a form or a simple request lacks the header of the console", async () => {
    assert.equal(await forged("/console/api/resources/mkdir", "POST", json), 403);
    assert.equal(await forged(LIST, "GET", {}), 403);
    assert.equal(await forged("/console/api/events/", "GET", {}), 403);
    assert.equal((await signIn(server, token, {})).status, 403);
    assert.equal(await forged("/console/session", "DELETE", {}), 403);
  });
  await t.step("no preflight allows that header, whatever the setting for CORS is", async () => {
    for (const path of [LIST, "/console/session", "/console/api/uploads/"]) {
      const response = await fetch(`${server.origin}${path}`, {
        method: "OPTIONS",
        headers: {
          Origin: "https://evil.example",
          "Access-Control-Request-Method": "POST",
          "Access-Control-Request-Headers": "x-strongroom-console",
        },
      });
      await response.body?.cancel();
      const names = [...response.headers.keys()].filter((it) => it.startsWith("access-control-"));
      assert.deepEqual(names, [], path);
    }
  });
  await t.step(
    "a page of another port or a neighbor domain is refused by Sec-Fetch-Site",
    async () => {
      for (const site of ["same-site", "cross-site", "none"]) {
        const headers = { ...own, ...json, "Sec-Fetch-Site": site };
        assert.equal(await forged("/console/api/resources/mkdir", "POST", headers), 403, site);
        const download = "/console/api/resources/download?path=x";
        assert.equal(await forged(download, "GET", { "Sec-Fetch-Site": site }), 403, site);
      }
    },
  );
  await t.step("and by Origin, where browsers send no Sec-Fetch-Site", async () => {
    const headers = { ...own, ...json, Origin: server.origin.replace(/\d+$/, "1") };
    assert.equal(await forged("/console/api/resources/mkdir", "POST", headers), 403);
    const known = { ...own, ...json, Origin: server.origin };
    assert.equal(await forged("/console/api/resources/mkdir", "POST", known), 200);
  });
  await t.step("a page whose name now leads here is refused if the origin is known", async () => {
    await using known = await TestServer.start({ settings: { origin: "http://files.example" } });
    const response = await signIn(known, token, { ...CONSOLE, Origin: "http://evil.example" });
    assert.equal(response.status, 403);
    await response.body?.cancel();
  });
  await t.step("a download follows a link without the header, and changes nothing", async () => {
    const client = await server.as(1);
    await client.upload("", { a: "content" });
    const headers = { "Sec-Fetch-Site": "same-origin" };
    const path = "/console/api/resources/download?path=a";
    assert.equal(await forged(path, "GET", headers), 200);
    const address = `/console/api/files/a`;
    assert.equal(await forged(address, "GET", headers), 403);
  });
});

Deno.test("C 24 GET / is the console, and loads nothing from elsewhere", async (t) => {
  await refreshConsole();
  await using server = await TestServer.start();
  const page = await fetch(server.origin);
  const html = await page.text();
  const policy = page.headers.get("Content-Security-Policy") ?? "";

  await t.step("its policy allows its own files alone, and no inline code", () => {
    assert.equal(page.status, 200);
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
    // Images alone are made of what the page has read.
    const others = policy.replace("img-src 'self' blob:", "");
    assert.doesNotMatch(others, /unsafe|https?:|\*|data:|blob:/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.match(policy, /require-trusted-types-for 'script'/);
    assert.doesNotMatch(html, /<script(?![^>]* src=)|<style|style=|\son\w+=|https?:/);
  });
  const addresses = [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, it = ""]) => it);
  await t.step("its files are compressed, kept for ever, and have at most 160 KB", async () => {
    let total = Number(page.headers.get("Content-Length"));
    // Grows by what modules import, at once or when it is needed.
    const files = new Set(addresses);
    for (const address of files) {
      assert.match(address, /^\/console\/assets\/[0-9a-f]{16}\/[\w./-]+$/);
      const response = await fetch(server.origin + address);
      assert.equal(response.status, 200, address);
      assert.match(response.headers.get("Cache-Control") ?? "", /immutable/);
      assert.match(
        response.headers.get("Content-Type") ?? "",
        /^(text\/(javascript|css); charset=utf-8|image\/svg\+xml)$/,
      );
      const text = await response.text();
      for (const [, file = ""] of text.matchAll(/\b(?:from|import\()"(\.\/[\w.-]+)"/g)) {
        files.add(new URL(file, server.origin + address).pathname);
      }
      total += Number(response.headers.get("Content-Length") ?? text.length);
    }
    assert.ok(files.size > addresses.length);
    assert.ok(total <= 160_000, `${total} bytes`);
  });
  await t.step("a file of another version is 404", async () => {
    const response = await fetch(
      server.origin + String(addresses[0]).replace(/[0-9a-f]{16}/, "0".repeat(16)),
    );
    await response.body?.cancel();
    assert.equal(response.status, 404);
  });
});

Deno.test("C 24 STRONGROOM_CONSOLE=off turns the console off", async () => {
  await using server = await TestServer.start({ settings: { console: "off" } });
  for (const path of ["/", "/console/session", LIST]) {
    assert.deepEqual(await ask(server, path, {}), [404, "ErrRouteNotFound"], path);
  }
});
