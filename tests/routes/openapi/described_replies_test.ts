import * as assert from "node:assert/strict";
import { faultsOf } from "../../support/described_replies.ts";

const ID = { "X-Request-Id": "1" };
const ERROR = { status: "error", code: "ErrResourcesNotFound", msg: "…" };

function json(body: unknown, status: number, headers: HeadersInit = ID): Response {
  const text = JSON.stringify(body);
  return new Response(text, {
    status,
    headers: {
      "Content-Type": "application/json",
      "Content-Length": String(text.length),
      ...headers,
    },
  });
}

const CASES: readonly (readonly [name: string, string, string, Response, RegExp | undefined])[] = [
  ["as described", "GET", "/api/v1/resources/stat?path=a", json(ERROR, 404), undefined],
  ["with a status of others", "GET", "/api/v1/waivers", json(ERROR, 404), /404: not described/],
  [
    "with a kind of others",
    "GET",
    "/api/v1/scans/7",
    json(ERROR, 404),
    /\/code must be equal to one of the allowed values/,
  ],
  [
    "without the id of the request",
    "GET",
    "/api/v1/resources/stat",
    json(ERROR, 404, {}),
    /X-Request-Id is missing/,
  ],
  [
    "with another header",
    "GET",
    "/api/v1/resources/stat",
    json(ERROR, 404, { ...ID, "ETag": '"1"' }),
    /the header etag is not described/,
  ],
  [
    "with another body",
    "POST",
    "/api/v1/resources/mkdir",
    json({ status: "success", data: { id: 1 } }, 200),
    /\/data must have required property 'user_id'/,
  ],
  [
    "of another type",
    "GET",
    "/healthz",
    new Response("ok", { headers: ID }),
    /the type text\/plain is not described/,
  ],
  ["to an unknown method", "PATCH", "/healthz", new Response("ok"), /200: unexpected/],
  ["to an unknown address", "GET", "/nothing", new Response("ok"), /200: unexpected/],
];

Deno.test("C 1 replies are compared with the description", async (t) => {
  for (const [name, method, address, response, expected] of CASES) {
    await t.step(`C 1 a reply ${name}`, async () => {
      const faults = await faultsOf({ method, url: `http://localhost${address}` }, response);
      if (expected === undefined) assert.deepEqual(faults, []);
      else assert.match(faults.join("\n"), expected);
      await response.body?.cancel();
    });
  }
});
