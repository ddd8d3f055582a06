import * as assert from "node:assert/strict";
import { Client, dataOf, refused, type Reply } from "../support/client.ts";
import { rawRequest } from "../support/raw_http.ts";
import { mintToken, TestServer, USER_PRIVILEGES } from "../support/server.ts";

async function get(url: string, init: RequestInit = {}): Promise<Reply> {
  const response = await fetch(url, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Every operation of the API with the privilege that it needs (RS 2). */
const OPERATIONS = [
  ["GET", "/resources/", "resources.view"],
  ["POST", "/resources/", "resources.upload"],
  ["POST", "/resources/mkdir", "resources.edit"],
  ["DELETE", "/resources/", "resources.delete"],
  ["GET", "/resources/download", "resources.download"],
  ["GET", "/events/", "resources.view"],
] as const;

Deno.test("RS 5 every operation needs a credential and its privilege", async (t) => {
  await using server = await TestServer.start();
  for (const [method, path, privilege] of OPERATIONS) {
    await t.step(`RS 5.1 ${method} ${path} without a credential is 401`, async () => {
      const reply = await get(server.url + path, { method });
      refused(reply, 401, "ErrAuthRequired");
      assert.equal(reply.headers.get("WWW-Authenticate"), 'Bearer realm="strongroom"');
    });
    await t.step(`RS 5.2 ${method} ${path} without ${privilege} is 403`, async () => {
      const others = USER_PRIVILEGES.filter((name) => name !== privilege);
      const client = await server.as(1, ...others, "unknown.privilege", "resources.adminx");
      assert.match(
        refused(await client.send(method, path), 403, "ErrNotPermitted"),
        new RegExp(privilege),
      );
    });
    await t.step(
      `RS 5.2 ${method} ${path} is permitted with ${privilege} or as admin`,
      async () => {
        for (const client of [await server.as(1, privilege), await server.admin()]) {
          const response = await client.fetch(path, { method });
          assert.ok(response.status === 200 || response.status === 400, String(response.status));
          await response.body?.cancel();
        }
      },
    );
  }
});

Deno.test("C 2 and C 10 refused credentials", async (t) => {
  await using server = await TestServer.start();
  const good = await mintToken({ userId: 1, privileges: ["resources.view"] });
  const [header, payload, signature] = good.split(".");
  const expired = await mintToken({ userId: 1, privileges: [], ttlSeconds: -31 });
  const none = `${btoa('{"alg":"none","typ":"JWT"}')}.${payload}.`;
  const cases: Record<string, string> = {
    "another scheme": "Basic dXNlcjpwYXNz",
    "no token": "Bearer",
    "blank": "Bearer ",
    "a malformed JWT": "Bearer abc",
    "two tokens": `Bearer ${good} ${good}`,
    "expired": `Bearer ${expired}`,
    "a changed payload": `Bearer ${header}.${
      btoa('{"sub":"2","privileges":[],"exp":9999999999}')
    }.${signature}`,
    "a changed signature": `Bearer ${header}.${payload}.${"A".repeat(43)}`,
    "no signature": `Bearer ${header}.${payload}.`,
    "the algorithm none": `Bearer ${none}`,
  };
  for (const [name, value] of Object.entries(cases)) {
    await t.step(`C 10 refuses ${name}`, async () => {
      const reply = await rawRequest(server.origin, {
        line: "GET /api/v1/resources/",
        headers: { Authorization: value },
      });
      assert.equal(reply.status, 401);
      // RFC 6750, 3: no error if another scheme was used.
      const error = value.startsWith("Bearer") ? ', error="invalid_token"' : "\r\n";
      const challenge = `www-authenticate: Bearer realm="strongroom"${error}`;
      assert.ok(reply.head.toLowerCase().includes(challenge.toLowerCase()), reply.head);
      assert.match(reply.body, /"code":"ErrAuthRequired"/);
      // C 10: tokens are never logged.
      assert.equal(server.log.some((line) => line.includes(signature ?? "?")), false);
    });
  }
  await t.step("C 10 the runtime refuses control characters", async () => {
    const reply = await rawRequest(server.origin, {
      line: "GET /api/v1/resources/",
      headers: { Authorization: "Bearer \u0001" },
    });
    assert.equal(reply.status, 400);
  });
  await t.step("C 10 the scheme is not case-sensitive", async () => {
    for (const scheme of ["bearer", "BEARER", "Bearer "]) {
      const reply = await get(`${server.url}/resources/`, {
        headers: { Authorization: `${scheme} ${good}` },
      });
      dataOf(reply);
    }
  });
});

Deno.test("C 2 the order of checks: credential, privilege, syntax, existence, conflict", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const viewer = await server.as(1, "resources.view");
  const anonymous = new Client(server.url, "none");
  await one.upload("", { taken: "x" });
  const bad = { "paths[]": ["missing", "/bad"] };
  refused(await anonymous.remove(bad), 401, "ErrAuthRequired");
  refused(await viewer.remove(bad), 403, "ErrNotPermitted");
  refused(await one.remove(bad), 400, "ErrResourcesInvalidRequest");
  refused(await one.remove({ path: "missing" }), 404, "ErrResourcesNotFound");
  refused(await one.upload("", { taken: "y" }), 409, "ErrResourcesAlreadyExists");
  refused(await viewer.upload("/bad", { "a:b": "y" }), 403, "ErrNotPermitted");
});

Deno.test("C 2 replies", async (t) => {
  await using server = await TestServer.start();
  const one = await server.as(1);

  await t.step("RS 1.5 and C 2 the payload is JSON in `data`", async () => {
    const reply = await one.list();
    assert.deepEqual(dataOf(reply), { items: [], total: 0 });
    assert.equal(reply.headers.get("Content-Type"), "application/json");
    assert.equal(reply.headers.get("X-Content-Type-Options"), "nosniff");
  });

  await t.step("C 2 keeps a request id of the caller and replaces a bad one", async () => {
    const reply = await get(`${server.origin}/healthz`, { headers: { "X-Request-Id": "my-id_1" } });
    assert.equal(reply.headers.get("X-Request-Id"), "my-id_1");
    for (const bad of ["with space", "semi;colon", "x".repeat(256)]) {
      const replaced = await get(`${server.origin}/healthz`, { headers: { "X-Request-Id": bad } });
      assert.match(replaced.headers.get("X-Request-Id") ?? "", /^[0-9a-f-]{36}$/);
    }
  });
  await t.step("C 2 ErrInternal has the request id and no details of the host", async () => {
    await using broken = await TestServer.start({
      wrap: (tree) => ({
        ...tree,
        records: Object.assign(Object.create(tree.records), {
          findByPath: () => Promise.reject(new Error(`SELECT failed at ${server.dataDir}`)),
        }),
      }),
    });
    const client = await broken.as(1);
    const reply = await client.send("GET", "/resources/download?path=x");
    const message = refused(reply, 500, "ErrInternal");
    assert.ok(message.includes(reply.headers.get("X-Request-Id") ?? "?"));
    assert.doesNotMatch(reply.text, /SELECT|strongroom-test|\.ts|\bat\b/);
    const logged = broken.log.find((line) => line.includes("SELECT failed"));
    assert.ok(logged?.includes(reply.headers.get("X-Request-Id") ?? "?"));
  });
  await t.step("C 3 refuses a query that is not valid UTF-8", async () => {
    for (
      const query of ["path=%ff", "path=%c0%af", "path=%ed%a0%80", "path=%zz", "path=%", "%ff=a"]
    ) {
      refused(await one.send("GET", `/resources/?${query}`), 400, "ErrResourcesInvalidRequest");
    }
  });
  await t.step(
    "C 3 refuses non-ASCII bytes in a request line or reads them as UTF-8",
    async () => {
      const reply = await rawRequest(server.origin, {
        line: "GET /api/v1/resources/?path=\u00e9",
        headers: { Authorization: `Bearer ${one.token}` },
      });
      assert.ok(reply.status === 200 || reply.status === 400, reply.head);
    },
  );
  await t.step("C 3 percent-decodes query values and reads plus as space", async () => {
    await one.upload("a dir", { "f+g.txt": "x" });
    for (const path of ["a%20dir", "a+dir", "%61%20dir"]) {
      const reply = await one.send("GET", `/resources/?path=${path}`);
      assert.match(reply.text, /a dir\/f\+g\.txt/);
    }
    assert.equal((await one.send("GET", "/resources/download?path=a+dir/f%2Bg.txt")).text, "x");
  });
  await t.step("C 3 ignores paths= without brackets and reads encoded brackets", async () => {
    refused(await one.send("DELETE", "/resources/?paths=a"), 400, "ErrResourcesInvalidRequest");
    const reply = await one.send("DELETE", "/resources/?paths%5B%5D=nothing");
    refused(reply, 404, "ErrResourcesNotFound");
  });
  await t.step("C 3 the user id of a token is 1 to 2^53 - 1", async () => {
    const largest = await server.as(Number.MAX_SAFE_INTEGER);
    assert.equal((await largest.mkdir("mine")).status, 200);
    for (const userId of [0, -1, 1.5, 2 ** 53, Number.NaN, 1e300]) {
      const client = await server.as(userId, "resources.view");
      refused(await client.list(), 401, "ErrAuthRequired");
    }
  });
});

Deno.test("C 1 routes", async (t) => {
  await using server = await TestServer.start();
  const one = await server.as(1);

  await t.step("C 1 every route responds with and without a trailing slash", async () => {
    for (const path of ["/resources", "/resources/", "/resources?recursive=1"]) {
      dataOf(await one.send("GET", path));
    }
    for (const path of ["/resources/mkdir", "/resources/mkdir/"]) {
      dataOf(await one.json("POST", path, { path: "d" }));
    }
    for (const path of ["/resources/download?path=none", "/resources/download/?path=none"]) {
      refused(await one.send("GET", path), 404, "ErrResourcesNotFound");
    }
    for (const path of ["/events", "/events/"]) {
      const response = await one.fetch(path);
      assert.equal(response.status, 200);
      await response.body?.cancel();
    }
    for (const path of ["/healthz", "/healthz/", "/readyz", "/readyz/"]) {
      dataOf(await get(server.origin + path));
    }
  });
  await t.step("C 1 an unknown route is 404", async () => {
    for (
      const path of ["/nothing", "/api/v1", "/api/v1/nothing", "/api/v2/resources/", "/resources/"]
    ) {
      refused(await get(server.origin + path), 404, "ErrRouteNotFound");
    }
    refused(await one.send("GET", "/resources//download"), 404, "ErrRouteNotFound");
  });
  await t.step("C 1 another method on a known route is 405 with Allow", async () => {
    const cases = [
      ["PUT", `${server.url}/resources/`, "DELETE, GET, HEAD, POST"],
      ["PATCH", `${server.url}/resources`, "DELETE, GET, HEAD, POST"],
      ["GET", `${server.url}/resources/mkdir`, "POST"],
      ["POST", `${server.url}/resources/download`, "GET, HEAD"],
      ["DELETE", `${server.url}/events/`, "GET, HEAD"],
      ["OPTIONS", `${server.url}/events/`, "GET, HEAD"],
      ["POST", `${server.origin}/healthz`, "GET, HEAD"],
    ] as const;
    for (const [method, url, allow] of cases) {
      const reply = await get(url, { method });
      refused(reply, 405, "ErrMethodNotAllowed");
      assert.equal(reply.headers.get("Allow"), allow);
    }
  });
  await t.step("C 1 readyz reports the failing part with 503", async () => {
    await using full = await TestServer.start({
      app: { findFault: () => Promise.resolve({ part: "disk", problem: "/host/path is full" }) },
    });
    const reply = await get(`${full.origin}/readyz`);
    assert.match(refused(reply, 503, "ErrUnavailable"), /disk$/);
    dataOf(await get(`${full.origin}/healthz`));
  });
});

Deno.test("C 13 CORS_ORIGINS", async (t) => {
  await t.step("C 13 allows no origin by default", async () => {
    await using server = await TestServer.start();
    const reply = await get(`${server.origin}/healthz`, {
      headers: { Origin: "https://a.example" },
    });
    assert.equal(reply.headers.get("Access-Control-Allow-Origin"), null);
  });
  await t.step("C 9 an allowed origin does not keep caches from storing a download", async () => {
    await using server = await TestServer.start({ app: { corsOrigins: ["https://a.example"] } });
    const one = await server.as(1);
    await one.upload("", { f: "x" });
    const headers = { Origin: "https://a.example" };
    const reply = await one.send("GET", "/resources/download?path=f", { headers });
    assert.equal(reply.headers.get("Cache-Control"), "private, no-cache");
    assert.equal(reply.headers.get("Access-Control-Allow-Origin"), "https://a.example");
    assert.match(reply.headers.get("Vary") ?? "", /Origin/);
  });
  await t.step("C 13 allows only the configured origins", async () => {
    await using server = await TestServer.start({ app: { corsOrigins: ["https://a.example"] } });
    const preflight = await get(`${server.url}/resources/`, {
      method: "OPTIONS",
      headers: {
        Origin: "https://a.example",
        "Access-Control-Request-Method": "DELETE",
        "X-Request-Id": "chosen",
      },
    });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get("X-Request-Id"), "chosen");
    assert.equal(preflight.headers.get("Cache-Control"), "no-store");
    assert.equal(preflight.headers.get("Access-Control-Allow-Origin"), "https://a.example");
    assert.match(preflight.headers.get("Access-Control-Allow-Methods") ?? "", /DELETE/);
    const refusal = await get(`${server.url}/resources/`, {
      headers: { Origin: "https://a.example" },
    });
    refused(refusal, 401, "ErrAuthRequired");
    assert.equal(refusal.headers.get("Access-Control-Allow-Origin"), "https://a.example");
    const other = await get(`${server.url}/resources/`, {
      headers: { Origin: "https://b.example" },
    });
    assert.equal(other.headers.get("Access-Control-Allow-Origin"), null);
  });
});

Deno.test("the access log has the size of a reply that is neither content nor a list", async () => {
  await using server = await TestServer.start();
  const reply = await get(`${server.origin}/openapi.json`);
  const { length } = new TextEncoder().encode(reply.text);
  const { bytes } = JSON.parse(server.log.find((line) => line.includes("openapi.json")) ?? "");
  assert.equal(bytes, length);
});

Deno.test("the access log has one line per request", async () => {
  await using server = await TestServer.start();
  const one = await server.as(7);
  await one.upload("", { f: "12345" });
  const reply = await one.send("GET", "/resources/download?path=f&secret=value");
  await one.send("GET", "/resources/%0d%0aforged%1b[31m");
  const lines = server.log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "request");
  assert.equal(lines.length, 3);
  const { time, ms, ...download } = lines[1];
  assert.ok(!Number.isNaN(Date.parse(time)) && ms >= 0);
  assert.deepEqual(download, {
    level: "info",
    msg: "request",
    method: "GET",
    path: "/api/v1/resources/download",
    status: 200,
    bytes: 5,
    user: 7,
    address: "127.0.0.1",
    request: reply.headers.get("X-Request-Id"),
  });
  assert.doesNotMatch(server.log.join(""), /secret/);
  // deno-lint-ignore no-control-regex -- the log must not contain control characters
  assert.doesNotMatch(server.log.join(""), /[\u0000-\u001f]/);
});
