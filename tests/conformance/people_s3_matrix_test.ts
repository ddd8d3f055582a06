import * as assert from "node:assert/strict";
import { newAccessKey } from "../../core/s3/access_keys.ts";
import type { S3Operation } from "../../routes/s3/operation.ts";
import { S3_OPERATIONS } from "../../routes/s3/s3_routes.ts";
import { askersOf, decisionFor, NAMED_TREES, ROLES } from "../support/people_matrix.ts";
import { S3Client } from "../support/s3_client.ts";
import { TestServer } from "../support/server.ts";

/** Keys that a client has made up are signed with another secret. */
const FORGED = newAccessKey("a secret of nobody ".repeat(2));

let requests = 0;

/** What comes of a request for an operation on what is not there. */
async function ask(
  origin: string,
  client: S3Client,
  { method, on, by = [], header }: S3Operation,
  bucket: string,
): Promise<401 | 403 | "passes"> {
  const path = {
    service: "/s3",
    bucket: `/s3/${bucket}`,
    object: `/s3/${bucket}/new-${requests++}`,
  };
  const signed = client.sign({
    method,
    path: path[on],
    query: Object.fromEntries(by.map((name) => [name, name === "partNumber" ? "1" : ""])),
    headers: header === undefined ? {} : { [header]: `/${bucket}/none` },
  });
  // The raw client reads no reply to HEAD.
  const response = await fetch(`${origin}${signed.path}?${signed.query}`, {
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
          const decision = await ask(server.origin, client, operation, bucket);
          const expected = decisionFor(may, needed, tree);
          const shown = method === "HEAD" && expected === 401 ? 403 : expected;
          assert.equal(decision, shown, `${operation.name} in ${bucket}`);
        }
      }
    });
  }
});
