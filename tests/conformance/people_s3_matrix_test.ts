import * as assert from "node:assert/strict";
import { newAccessKey } from "../../core/s3/access_keys.ts";
import type { S3Operation } from "../../routes/s3/operation.ts";
import { S3_OPERATIONS } from "../../routes/s3/s3_routes.ts";
import { TestConsole } from "../support/console.ts";
import { linkTo } from "../support/links.ts";
import {
  askersOf,
  type Decision,
  decisionFor,
  NAMED_TREES,
  ROLES,
} from "../support/people_matrix.ts";
import { S3Client, type S3Request } from "../support/s3_client.ts";
import { mintToken, TestServer } from "../support/server.ts";

/** Keys that a client has made up are signed with another secret. */
const FORGED = newAccessKey("a secret of nobody ".repeat(2));

let requests = 0;

/** A request for an operation on what is not there. */
function requestFor(
  { method, on, by = [], header }: S3Operation,
  bucket: string,
): Required<Pick<S3Request, "method" | "path" | "query" | "headers">> {
  const path = {
    service: "/s3",
    bucket: `/s3/${bucket}`,
    object: `/s3/${bucket}/new-${requests++}`,
  };
  return {
    method,
    path: path[on],
    query: Object.fromEntries(by.map((name) => [name, name === "partNumber" ? "1" : ""])),
    headers: header === undefined ? {} : { [header]: `/${bucket}/none` },
  };
}

/** What comes of a signed request. There are thousands, so they come by no connection. */
async function ask(
  { app, origin }: TestServer,
  client: S3Client,
  operation: S3Operation,
  { bucket, way }: { readonly bucket: string; readonly way: "sign" | "presign" },
): Promise<Decision> {
  const { method } = operation;
  const signed = client[way](requestFor(operation, bucket));
  const response = await app.request(`${origin}${signed.path}?${signed.query}`, {
    method,
    headers: { ...signed.headers },
  });
  const { status } = response;
  const body = await response.text();
  // A reply to HEAD says no more than its status.
  if (method === "HEAD") return status === 403 ? 403 : "passes";
  if (/InvalidAccessKeyId|has been revoked/.test(body)) return 401;
  return /Privilege \S+ required/.test(body) ? 403 : "passes";
}

Deno.test("C 27, C 30 nobody gets past an operation of S3 without its privilege, in any bucket, by any name of it", async (t) => {
  await using server = await TestServer.start({ roles: ROLES });
  const askers = await askersOf(
    server,
    async (claims) =>
      claims === undefined ? new S3Client(server, FORGED) : await S3Client.of(server, claims),
  );
  for (const { name, client, may } of askers) {
    await t.step(name, async () => {
      for (const operation of S3_OPERATIONS) {
        const { method, on, privilege, header } = operation;
        // What is copied is read, too.
        const needed = [privilege, header && "resources.download"].filter((it) => it !== undefined);
        for (const tree of on === "service" ? [undefined] : [undefined, ...NAMED_TREES]) {
          const bucket = tree === undefined ? "own" : `tree-${tree}`;
          const expected = decisionFor(may, needed, tree);
          const shown = method === "HEAD" && expected === 401 ? 403 : expected;
          for (const way of ["sign", "presign"] as const) {
            const decision = await ask(server, client, operation, { bucket, way });
            assert.equal(decision, shown, `${way} ${operation.name} in ${bucket}`);
          }
        }
      }
    });
  }
});

Deno.test("C 24, C 27, C 30 S3 takes neither the session of a browser, nor a link, nor a page elsewhere", async () => {
  await using server = await TestServer.start({ roles: ROLES });
  const admin = await server.admin();
  await admin.upload(undefined, { a: "a" });
  const { url } = await linkTo(admin, "a");
  const token = url.slice(url.lastIndexOf("/") + 1);
  const byLink = new S3Client(server, { id: token, secret: token });
  const browser = new TestConsole(server);
  const credential = await mintToken({ userId: 1000, privileges: ["resources.admin"] });
  const { name } = await browser.ask("POST", "/session", { credential });
  const session = { Cookie: browser.cookie, "X-Strongroom-Console": name };

  for (const operation of S3_OPERATIONS) {
    const { method } = operation;
    const { path, query, headers } = requestFor(operation, "own");
    const address = `${server.origin}${path}?${new URLSearchParams(query)}`;
    const signed = byLink.sign(requestFor(operation, "own"));
    for (
      const [how, response] of [
        ["session", await fetch(address, { method, headers: { ...headers, ...session } })],
        ["link", await fetch(address, { method, headers: { ...signed.headers } })],
      ] as const
    ) {
      const body = await response.text();
      assert.equal(response.status, 403, `${operation.name} by ${how}`);
      if (method === "HEAD") continue;
      assert.match(body, /AccessDenied|InvalidAccessKeyId/, `${operation.name} by ${how}`);
    }
    const preflight = await fetch(address, {
      method: "OPTIONS",
      headers: { Origin: "https://evil.example", "Access-Control-Request-Method": method },
    });
    await preflight.body?.cancel();
    assert.equal(preflight.headers.get("Access-Control-Allow-Origin"), null, operation.name);
  }
});
