import * as assert from "node:assert/strict";
import { items } from "../support/client.ts";
import { formBody } from "../support/raw_http.ts";
import { TestServer } from "../support/server.ts";

const BOUNDARY = "----WebKitFormBoundary7MA4YWxkTrZu0gW";

/** The head of a part as Chromium sends it: the name is the `webkitRelativePath` of the file. */
function head(path: string): string {
  return `Content-Disposition: form-data; name="files"; filename="${path}"\r\n` +
    "Content-Type: application/octet-stream";
}

Deno.test("C 17 the folder input of a browser keeps its paths with ?paths=keep", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const body = formBody([
    { head: head("llama/config.json"), content: "{}" },
    { head: head("llama/weights/größe 1.bin"), content: new Uint8Array([0, 1, 2, 255]) },
    { head: head("llama/.gitattributes"), content: "" },
  ], BOUNDARY);
  const send = (query: Record<string, string>) =>
    one.send("POST", "/resources/", {
      query,
      body,
      headers: { "Content-Type": `multipart/form-data; boundary=${BOUNDARY}` },
    });
  const paths = [
    "models/llama/config.json",
    "models/llama/weights/größe 1.bin",
    "models/llama/.gitattributes",
  ];
  const kept = items(await send({ dir: "models", paths: "keep" }));
  assert.deepEqual(kept.map(({ path }) => path), paths);
  const again = items(await send({ dir: "models", paths: "keep", on_conflict: "skip" }));
  assert.deepEqual(again, kept);
  const flat = items(await send({ dir: "flat" }));
  assert.deepEqual(flat.map(({ path }) => path), [
    "flat/config.json",
    "flat/größe 1.bin",
    "flat/.gitattributes",
  ]);
});
