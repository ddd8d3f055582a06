import * as assert from "node:assert/strict";
import { auditOf } from "../support/audit.ts";
import { Client } from "../support/client.ts";
import {
  commit,
  CommitReply,
  committed,
  commitText,
  HubClient,
  hubRefused,
  jsonOf,
  lines,
  park,
} from "../support/hub.ts";
import * as v from "valibot";
import { mintToken, TestServer } from "../support/server.ts";

const REPOSITORY = "team/one";
const DIRECTORY = "models/team/one";

async function startedServer(options: Parameters<typeof TestServer.start>[0] = {}) {
  const server = await TestServer.start(options);
  const user = await server.as(7);
  const hub = new HubClient(server, user);
  assert.equal((await hub.create(REPOSITORY)).status, 200);
  return { server, user, hub };
}

/** The files of the repository with their content. */
async function filesOf(user: Client): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  const reply = await user.send("GET", "/resources/checksums", { query: { path: DIRECTORY } });
  for (const [, path = ""] of reply.text.matchAll(/^[0-9a-f]{64} {2}(.*)$/gm)) {
    files[path] = new TextDecoder().decode(await user.bytes({ path: `${DIRECTORY}/${path}` }));
  }
  return files;
}

Deno.test("C 20 a commit adds, replaces, copies and deletes, as one change", async (t) => {
  const { server, user, hub } = await startedServer();
  await using _server = server;

  await t.step("C 20 its reply is what the client parses", async () => {
    const reply = await commit(
      hub,
      REPOSITORY,
      lines.file("a.txt", "a"),
      lines.file("b/c.txt", "c"),
    );
    const { commitUrl, commitOid } = v.parse(CommitReply, jsonOf(reply));
    assert.equal(commitUrl, `${hub.url}/models/${REPOSITORY}/commit/${commitOid}`);
    assert.equal(reply.headers.get("Content-Type"), "application/json");
    assert.deepEqual(await filesOf(user), { "a.txt": "a", "b/c.txt": "c" });
    const info = jsonOf(await hub.send("GET", `/api/models/${REPOSITORY}`));
    assert.ok(typeof info === "object" && info !== null && "sha" in info);
    assert.equal(info.sha, commitOid);
  });
  await t.step("C 20 all kinds of operations", async () => {
    await park(hub, REPOSITORY, "large");
    await using events = await user.events();
    const reply = await commit(
      hub,
      REPOSITORY,
      lines.file("a.txt", "new"),
      lines.copyFile("b/c.txt", "copy.txt"),
      lines.lfsFile("large.bin", "large"),
      lines.lfsFile("same.txt", "c"),
      lines.deletedFolder("b/"),
    );
    committed(reply);
    const after = { "a.txt": "new", "copy.txt": "c", "large.bin": "large", "same.txt": "c" };
    assert.deepEqual(await filesOf(user), after);
    const types: (string | undefined)[] = [];
    while (types.length < 6) types.push((await events.next())?.event);
    assert.deepEqual(types.toSorted(), [
      ...Array(3).fill("resource.added"),
      ...Array(2).fill("resource.deleted"),
      "resource.updated",
    ]);
  });
  await t.step("C 20 content that the client states without its size, as for a copy", async () => {
    const { key, value: { path, oid } } = lines.lfsFile("again.bin", "large");
    committed(await commit(hub, REPOSITORY, { key, value: { path, algo: "sha256", oid } }));
    assert.equal((await filesOf(user))["again.bin"], "large");
  });
  await t.step("C 4 paths that differ by case are two", async () => {
    committed(await commit(hub, REPOSITORY, lines.file("case", "1"), lines.file("CASE", "2")));
    const files = await filesOf(user);
    assert.deepEqual([files["case"], files["CASE"]], ["1", "2"]);
    committed(await commit(hub, REPOSITORY, lines.deletedFile("case"), lines.deletedFile("CASE")));
  });
  await t.step("C 20 what changes nothing has the same commit id, and no events", async () => {
    const before = committed(await commit(hub, REPOSITORY));
    const same = await commit(hub, REPOSITORY, lines.file("a.txt", "new"));
    assert.equal(committed(same), before);
    const found = await user.send("GET", "/resources/stat", {
      query: { path: `${DIRECTORY}/a.txt` },
    });
    committed(await commit(hub, REPOSITORY, lines.file("a.txt", "new")));
    const stat = await user.send("GET", "/resources/stat", {
      query: { path: `${DIRECTORY}/a.txt` },
    });
    assert.equal(stat.text, found.text);
  });
  await t.step("C 20 text in UTF-8, and content of several pieces", async () => {
    const text = "é\n\u{1f600}";
    const large = "0123456789abcdef".repeat(100_000);
    committed(
      await commit(
        hub,
        REPOSITORY,
        { key: "file", value: { path: "utf8.txt", content: text, encoding: "utf-8" } },
        { key: "file", value: { path: "plain.txt", content: text } },
        lines.file("large.txt", large),
        lines.file("empty.txt", ""),
      ),
    );
    const files = await filesOf(user);
    assert.deepEqual([files["utf8.txt"], files["plain.txt"]], [text, text]);
    assert.equal(files["large.txt"], large);
    assert.equal(files["empty.txt"], "");
  });
  await t.step("C 22 it is one line of the audit log", async () => {
    const entries = (await auditOf(server)).filter(({ action }) => action === "hub.commit");
    const { user: by, tree, paths, records, outcome, commit: id } = entries[0] ?? {};
    assert.deepEqual(
      { by, tree, paths, records, outcome },
      { by: 7, tree: 7, paths: [DIRECTORY], records: 3, outcome: "ok" },
    );
    assert.match(String(id), /^[0-9a-f]{40}$/);
  });
});

Deno.test("C 20 a refused commit changes nothing", async (t) => {
  const { server, user, hub } = await startedServer();
  await using _server = server;
  const first = committed(
    await commit(hub, REPOSITORY, lines.file("a", "a"), lines.file("dir/b", "b")),
  );
  const stored = await server.storedHashes();
  const unchanged = async () => {
    assert.deepEqual(await filesOf(user), { "a": "a", "dir/b": "b" });
    assert.deepEqual(await server.storedHashes(), stored);
    assert.deepEqual(await server.temporaryFiles(), []);
  };
  const added = lines.file("added", "added");
  const refuses = async (
    name: string,
    status: number,
    reason: RegExp,
    ...operations: Parameters<typeof commit>[2][]
  ) => {
    await t.step(name, async () => {
      const reply = await commit(hub, REPOSITORY, added, ...operations);
      assert.match(hubRefused(reply, status, status === 404 ? "EntryNotFound" : undefined), reason);
      await unchanged();
    });
  };

  await refuses("C 20 a path twice", 400, /two operations/, lines.file("added", "other"));
  await refuses("C 20 a path twice, deleted", 400, /two operations/, lines.deletedFile("./added"));
  await refuses(
    "C 20 a file above another",
    409,
    /below it|is a directory|is a file/,
    lines.file("added/x", "x"),
  );
  await refuses("C 20 a file over a directory", 409, /is a directory/, lines.file("dir", "x"));
  await refuses("C 20 a file below a file", 409, /is a file/, lines.file("a/b", "x"));
  for (const path of ["../x", "/etc/passwd", "x/../../y", "x\0", "", ".", "..\\x", "\\x", "C:/x"]) {
    await refuses(
      `C 4 the path ${JSON.stringify(path)}`,
      400,
      /Invalid path/,
      lines.file(path, "x"),
    );
    await refuses(
      `C 4 the source ${JSON.stringify(path)}`,
      400,
      /Invalid path/,
      lines.copyFile(path, "y"),
    );
  }
  await refuses("C 20 a lone surrogate", 400, /not valid Unicode/, lines.file("\ud800", "x"));
  await refuses("C 20 deletion of nothing", 404, /not found/, lines.deletedFile("none"));
  await refuses("C 20 deletion of a folder as a file", 404, /not found/, lines.deletedFile("dir"));
  await refuses("C 20 deletion of a file as a folder", 404, /not found/, lines.deletedFolder("a"));
  await refuses("C 20 a copy of nothing", 404, /not found/, lines.copyFile("none", "y"));
  await refuses("C 20 content that was not sent", 400, /was not sent/, lines.lfsFile("x", "none"));
  await refuses("C 20 content of another size", 400, /was not sent/, {
    key: "lfsFile",
    value: { ...lines.lfsFile("x", "a").value, size: 2 },
  });
  await refuses("C 20 content that is not base64", 400, /line 3: .* not base64/, {
    key: "file",
    value: { path: "x", content: "a b", encoding: "base64" },
  });
  await refuses("C 20 an unknown operation", 400, /line 3: key must be/, {
    key: "chmod",
    value: { path: "x" },
  });
  await refuses("C 20 the header twice", 400, /line 3: the header comes twice/, lines.header());
  await t.step("C 20 another state than the client has seen", async () => {
    const stale = lines.header({ parentCommit: "0".repeat(40) });
    assert.match(
      hubRefused(await commit(hub, REPOSITORY, stale, added), 412),
      /A commit has happened since/,
    );
    await unchanged();
    for (const parentCommit of ["", first.slice(0, 6), `${first}0`, first.toUpperCase(), "main"]) {
      hubRefused(await commit(hub, REPOSITORY, lines.header({ parentCommit }), added), 412);
    }
    await unchanged();
    for (const parentCommit of [first, first.slice(0, 7), null]) {
      const current = lines.header({ parentCommit });
      committed(await commit(hub, REPOSITORY, current, lines.file("a", "a")));
    }
  });
  await t.step("C 20 a copy of another revision", async () => {
    const copy = lines.copyFile("a", "y", "0".repeat(40));
    hubRefused(await commit(hub, REPOSITORY, added, copy), 404, "RevisionNotFound");
    await unchanged();
  });
  await t.step("C 20 a pull request, another branch, another repository", async () => {
    const body = `${JSON.stringify(lines.header())}\n${JSON.stringify(added)}\n`;
    const send = (path: string) => hub.send("POST", path, { body });
    const address = `/api/models/${REPOSITORY}/commit`;
    assert.match(hubRefused(await send(`${address}/main?create_pr=1`), 400), /pull request/);
    hubRefused(await send(`${address}/dev`), 404, "RevisionNotFound");
    hubRefused(await send("/api/models/team/none/commit/main"), 404, "RepoNotFound");
    hubRefused(await send("/api/datasets/team/one/commit/main"), 404, "RepoNotFound");
    await unchanged();
  });
  await t.step("C 20 a caller without the privilege", async () => {
    const as = async (...privileges: string[]) =>
      new HubClient(server, await server.as(7, "resources.upload", ...privileges));
    const refusals: [string[], Parameters<typeof commit>[2]][] = [
      [["resources.delete"], lines.file("a", "changed")],
      [["resources.delete"], lines.copyFile("a", "b")],
      [["resources.edit"], lines.deletedFile("a")],
      [["resources.edit"], lines.deletedFolder("dir")],
    ];
    for (const [privileges, operation] of refusals) {
      hubRefused(await commit(await as(...privileges), REPOSITORY, added, operation), 403);
      await unchanged();
    }
    const reader = new HubClient(server, await server.as(7, "resources.view", "resources.edit"));
    hubRefused(await commit(reader, REPOSITORY, added), 403);
    await unchanged();
  });
});

Deno.test("C 20 hostile bodies of commits are refused", async (t) => {
  const { server, user, hub } = await startedServer();
  await using _server = server;
  const header = JSON.stringify(lines.header());
  const file = JSON.stringify(lines.file("a", "a"));
  const refused = async (body: BodyInit, reason: RegExp) => {
    assert.match(hubRefused(await commitText(hub, REPOSITORY, body), 400), reason);
    assert.deepEqual(await filesOf(user), {});
  };
  await t.step("C 20 no header", async () => {
    for (const body of ["", "\n\n", `${file}\n`, " "]) {
      await refused(body, /line \d: expected the header/);
    }
  });
  await t.step("C 20 not JSON", async () => {
    await refused("x", /line 1: not valid JSON/);
    await refused(`${header}\n${file}\n${file.slice(0, -1)}`, /line 3: not valid JSON/);
    await refused(`${header}\r\n\r\n${file}${file}`, /line 3: not valid JSON/);
    await refused(new Uint8Array([0, 1, 2, 10, 3]), /line 1: not valid JSON/);
    await refused(`${header}\n${"[".repeat(60_000)}`, /levels of nesting/);
  });
  await t.step("C 20 a million lines", async () => {
    const deletion = `${JSON.stringify(lines.deletedFile("none"))}\n`;
    await refused(`${header}\n${deletion.repeat(2)}`, /two operations/);
    const many = Array.from(
      { length: 25_001 },
      (_, index) => JSON.stringify(lines.deletedFile(`${index}`)),
    );
    await refused(`${header}\n${many.join("\n")}`, /more than 25000/);
    await refused(`${header}\n${"\n".repeat(1_000_000)}`, /more than 25000/);
  });
  await t.step("C 20 a line of 1 GB", async () => {
    let sent = 0;
    const chunk = new Uint8Array(1_000_000).fill(0x41);
    const endless = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull(controller) {
        if (sent === 0) controller.enqueue(new TextEncoder().encode(`${header}\n`));
        sent += chunk.length;
        if (sent > 1e9) controller.close();
        else controller.enqueue(chunk.slice());
      },
    });
    await refused(endless, /a line is longer than \d+ bytes/);
    assert.ok(sent < 200_000_000, `${sent} bytes were sent`);
  });
  await t.step("C 20 a content of 16 MiB comes, and one of more does not", async () => {
    const content = new Uint8Array(16 * 1024 * 1024).fill(7);
    const lineOf = (bytes: Uint8Array) =>
      `${header}\n{"key":"file","value":{"content":"${bytes.toBase64()}","path":"large","encoding":"base64"}}\n`;
    await refused(lineOf(new Uint8Array(17 * 1024 * 1024)), /a line is longer/);
    committed(await commitText(hub, REPOSITORY, lineOf(content)));
    assert.deepEqual(await user.bytes({ path: `${DIRECTORY}/large` }), content);
    committed(await commit(hub, REPOSITORY, lines.deletedFile("large")));
  });
  await t.step("C 20 more than a request may have", async () => {
    const small = await startedServer({
      limits: { maxUploadRequestSize: 100_000, maxUploadFileSize: 1000, maxUploadTotalSize: 1500 },
    });
    await using _small = small.server;
    const refuses = async (reason: RegExp, ...files: string[]) => {
      const operations = files.map((content, index) => lines.file(`${index}`, content));
      assert.match(hubRefused(await commit(small.hub, REPOSITORY, ...operations), 400), reason);
      assert.deepEqual(await filesOf(small.user), {});
    };
    await refuses(/STRONGROOM_MAX_UPLOAD_REQUEST_SIZE/, "x".repeat(100_000));
    await refuses(/STRONGROOM_MAX_UPLOAD_FILE_SIZE/, "ok", "x".repeat(1001));
    await refuses(/STRONGROOM_MAX_UPLOAD_TOTAL_SIZE/, "x".repeat(900), "y".repeat(900));
  });
});

Deno.test("C 20 a commit in the tree of another user, and within its quota", async () => {
  const { server, user, hub } = await startedServer({ limits: { userQuota: 1000 } });
  await using _server = server;
  const trees = { "7": ["resources.upload"] };
  const guest = new Client(server.url, await mintToken({ userId: 8, privileges: [], trees }));
  const inTree = new HubClient(server, guest, 7);
  const { commitUrl } = v.parse(
    CommitReply,
    jsonOf(await commit(inTree, REPOSITORY, lines.file("a", "a"))),
  );
  assert.match(commitUrl, new RegExp(`^${server.origin}/hub/t/7/models/team/one/commit/`));
  assert.deepEqual(await filesOf(user), { a: "a" });
  hubRefused(await commit(new HubClient(server, guest), REPOSITORY, lines.file("b", "b")), 403);
  hubRefused(await commit(new HubClient(server, guest, 9), REPOSITORY, lines.file("b", "b")), 403);
  const large = lines.file("b", "x".repeat(1001));
  assert.match(
    hubRefused(await commit(inTree, REPOSITORY, large), 400),
    /exceed the quota of 1,000 bytes/,
  );
  assert.match(
    hubRefused(await commit(hub, REPOSITORY, large), 400),
    /exceed the quota of 1,000 bytes/,
  );
  assert.deepEqual(await filesOf(user), { a: "a" });
});
