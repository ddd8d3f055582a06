/**
 * A session of a client whose types are generated from the description: `openapi-typescript` writes api.ts
 * beside a copy of this file. `deno run session.ts ORIGIN TOKEN`
 */

import * as assert from "node:assert/strict";
import createClient from "npm:openapi-fetch@0.17.0";
import type { components, paths } from "./api.ts";

const [origin = "", token = ""] = Deno.args;
const client = createClient<paths>({
  baseUrl: origin,
  headers: { Authorization: `Bearer ${token}` },
});

/** The data of a reply. */
function dataOf<Data>(
  { data, error }: { data?: { data: Data }; error?: components["schemas"]["Error"] },
): Data {
  if (data === undefined) throw new Error(error?.msg);
  return data.data;
}

const events = await client.GET("/api/v1/events", { parseAs: "stream" });

const directory = dataOf(
  await client.POST("/api/v1/resources/mkdir", { body: { path: "models/llama" } }),
);
assert.ok(directory.is_dir);

// @ts-expect-error a path is a string
await client.POST("/api/v1/resources/mkdir", { body: { path: 7 } });

const uploaded = dataOf(
  await client.POST("/api/v1/resources", {
    params: { query: { dir: "models/llama", on_conflict: "replace" } },
    body: { files: ["hello", "world"] },
    bodySerializer({ files = [] }) {
      const form = new FormData();
      files.forEach((text, at) => form.append("files", new Blob([text]), `${at}.txt`));
      return form;
    },
  }),
);
assert.deepEqual(uploaded.items.map(({ name }) => name), ["0.txt", "1.txt"]);

const listed = dataOf(
  await client.GET("/api/v1/resources", {
    params: { query: { "paths[]": ["models"], recursive: "true" } },
  }),
);
assert.equal(listed.total, 4);

const stat = dataOf(
  await client.GET("/api/v1/resources/stat", {
    params: { query: { path: "models/llama/0.txt" } },
  }),
);
assert.equal(stat.md5, "5d41402abc4b2a76b9719d911017c592");

const address = { path: "models/llama/0.txt" };
const file = await client.GET("/api/v1/files/{path}", {
  params: { path: address, header: { Range: "bytes=1-3" } },
  parseAs: "text",
});
assert.equal(file.data, "ell");
assert.equal(file.response.status, 206);

const stored = await client.PUT("/api/v1/files/{path}", {
  params: { path: address, header: { "If-None-Match": "*" } },
  body: "other",
  bodySerializer: (text) => text,
});
const code: "ErrPreconditionFailed" | string | undefined = stored.error?.code;
assert.equal(code, "ErrPreconditionFailed");

const moved = dataOf(
  await client.PUT("/api/v1/resources/move", {
    body: { source: "models/llama", destination: "archive" },
  }),
);
assert.ok(moved.items.some(({ path }) => path === "archive/1.txt"));

const missing = await client.GET("/api/v1/resources/stat", {
  params: { query: { path: "models/llama/0.txt" } },
});
assert.equal(missing.error?.code, "ErrResourcesNotFound");

for (const path of ["archive", "archive/1.txt"]) {
  const scan = dataOf(
    await client.POST("/api/v1/scans", { params: { query: { wait: 60 } }, body: { path } }),
  );
  assert.equal(scan.status, "completed");
}
const found: number[] = [];
for (let before: number | undefined;;) {
  const page = dataOf(
    await client.GET("/api/v1/scans", { params: { query: { limit: 1, before } } }),
  );
  const last = page.items.at(-1);
  if (last === undefined) break;
  found.push(last.id);
  before = last.id;
}
assert.equal(found.length, 2);
const report = await client.GET("/api/v1/scans/{id}/report", {
  params: { path: { id: found.at(-1) ?? 0 } },
});
// A report may also come as SARIF, if that is asked for.
assert.ok(report.data !== undefined && "files_scanned" in report.data);
assert.equal(report.data.files_scanned, 2);

const deleted = dataOf(
  await client.DELETE("/api/v1/resources", { params: { query: { path: "archive" } } }),
);
assert.equal(deleted.total, 3);

let text = "";
for await (const piece of (events.data ?? assert.fail()).pipeThrough(new TextDecoderStream())) {
  text += piece;
  if (text.includes("event: resource.deleted")) break;
}
assert.match(text, /^event: resource\.added$[\s\S]+^event: scan\.finished$/m);
