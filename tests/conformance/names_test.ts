import * as assert from "node:assert/strict";
import { type Client, refused } from "../support/client.ts";
import { commit, HubClient, hubRefused, lines } from "../support/hub.ts";
import { TestServer } from "../support/server.ts";
import { postUpload } from "../support/tus.ts";

/** Paths whose records would have white space at an end of their path, or of one above them. */
const UNNAMEABLE = ["./ y", "x /.", "x /y", ".\\\u00a0y", "a/x\u3000/y"];

/** A request that makes a record of a path. */
type Make = (user: Client, path: string) => Promise<{ readonly status: number }>;

const DOORS: readonly (readonly [name: string, make: Make])[] = [
  ["C 31 and RS 4.3.2 mkdir", (user, path) => user.mkdir(path)],
  [
    "C 31 and C 17 PUT",
    // Clients resolve the segment "." of an address, unless its slash is encoded.
    (user, path) => user.send("PUT", `/files/${encodeURIComponent(path)}`, { body: "x" }),
  ],
  ["C 31 and C 17 an upload that keeps paths", (user, path) => {
    const body = new FormData();
    body.append("files", new Blob(["x"]), path);
    return user.send("POST", "/resources/", { query: { paths: "keep" }, body });
  }],
  ["C 31 and RS 4.2.2 an upload to a directory", (user, path) => user.upload(path, { f: "x" })],
  [
    "C 31 and C 21 a resumable upload",
    (user, path) => postUpload(user, { metadata: { path }, size: 1 }),
  ],
  [
    "C 31 and RS 4.4.1 a move",
    (user, destination) => user.move({ sources: ["d/f"], destination, force: true }),
  ],
  [
    "C 31 and RS 4.5.1 a copy",
    (user, destination) => user.copy({ sources: ["d/f"], destination, force: true }),
  ],
];

Deno.test("C 31 no record gets a path that requests could not name", async (t) => {
  await using server = await TestServer.start();
  const user = await server.as(1);
  await user.upload("d", { f: "x" });
  await user.mkdir("d/ x");
  await user.put("d/ y", "y");
  await user.put("x", "x");
  const before = await user.tree();
  assert.ok(before.includes("d/ x") && before.includes("d/ y"));
  for (const [name, make] of DOORS) {
    await t.step(name, async () => {
      for (const path of UNNAMEABLE) assert.equal((await make(user, path)).status, 400, path);
    });
  }
  await t.step(
    "C 31 a move or copy to the root, by the name that it would have there",
    async () => {
      for (const sources of [["d/ x"], ["d/ y"], ["d/ x", "d/ y"], ["d/f", "d/ y"]]) {
        const reply = await user.move({ sources, destination: "", force: true });
        assert.match(refused(reply, 400, "ErrResourcesInvalidRequest"), /" [xy]".*white space/);
      }
    },
  );
  await t.step("C 31 a file whose name is the end of a path", async () => {
    refused(await user.upload("", { "a\\ y": "x" }), 400, "ErrResourcesInvalidRequest");
  });
  await t.step("C 31 and C 20 a commit", async () => {
    const hub = new HubClient(server, user);
    await hub.create("team/one");
    for (const path of UNNAMEABLE) {
      hubRefused(await commit(hub, "team/one", lines.file(path, "x")), 400);
    }
    await user.remove({ path: "models" });
  });
  await t.step("C 5.5 nothing has changed", async () => {
    assert.deepEqual(await user.tree(), before);
  });
});
