import * as assert from "node:assert/strict";
import { HubClient } from "../support/hub.ts";
import { TestServer } from "../support/server.ts";

const FILES = 4000;
const COMMIT = "/api/models/team/large/commit/main";

const NAMES = Array.from({ length: FILES }, (_, index) => `d${index % 10}/file-${index}`);

/** The body of a commit. */
function lines(operations: readonly unknown[]): string {
  return [{ key: "header", value: { summary: "s" } }, ...operations]
    .map((line) => JSON.stringify(line)).join("\n");
}

Deno.test("C 22 others are answered while a user's large requests are carried out", async (t) => {
  await using server = await TestServer.start({ maxDirectRecords: 1000 });
  const user = await server.as(7);
  const other = await server.as(8);
  const hub = new HubClient(server, user);
  await hub.create("team/large");
  const form = new FormData();
  for (const name of NAMES) form.append("files", new Blob(["x"]), name.replace("/", "-"));
  // The body is made before, as the client shares the event loop.
  const encoded = new Response(form);
  const type = encoded.headers.get("Content-Type") ?? "";
  const body = await encoded.arrayBuffer();
  const commit = (operations: readonly unknown[]) => {
    const text = lines(operations);
    return () => hub.send("POST", COMMIT, { body: text });
  };
  const requests: Record<string, () => Promise<{ status: number; text: string }>> = {
    "a commit of added files": commit(
      NAMES.map((path) => ({ key: "file", value: { path, content: "eA==", encoding: "base64" } })),
    ),
    "a commit of copies": commit(
      NAMES.map((name) => ({
        key: "copyFile",
        value: { path: `copy/${name}`, srcPath: name, srcRevision: "main" },
      })),
    ),
    "a commit of deletions": commit(
      NAMES.map((path) => ({ key: "deletedFile", value: { path } })),
    ),
    "a form": () =>
      user.send("POST", "/resources/?dir=form", { body, headers: { "Content-Type": type } }),
  };
  for (const [what, send] of Object.entries(requests)) {
    await t.step(`C 22 ${what}`, async () => {
      let ended = false;
      let answered = 0;
      const sending = send().finally(() => ended = true);
      while (!ended) {
        const { status } = await other.mkdir(`${what}/${answered}`);
        assert.equal(status, 200);
        if (!ended) answered++;
      }
      const { status, text } = await sending;
      assert.equal(status, 200, text);

      assert.ok(answered >= 12, `${answered} requests of another user`);
    });
  }
  await t.step("C 20 all of it was done", async () => {
    const paths = await user.paths({ path: "models/team/large/copy", recursive: "true" });
    const files = paths.filter((path) => path.includes("file"));
    assert.deepEqual(
      files.sort(),
      NAMES.map((name) => `models/team/large/copy/${name}`).sort(),
    );
  });
});
