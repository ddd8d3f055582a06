import * as assert from "node:assert/strict";
import { items } from "../../support/client.ts";
import { TestServer, USER_PRIVILEGES } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { RemoteClient } from "../../support/remote_client.ts";

Deno.test("C 25 verbs for files", async (t) => {
  await using directory = await TempDir.make();
  await using server = await TestServer.start();
  const user = await server.as(1, ...USER_PRIVILEGES);
  const client = await RemoteClient.of(server, directory.path, {
    trees: { 2: ["resources.view"] },
  });
  /** What a command prints. */
  const printed = async (...args: string[]) => {
    const { code, stdout, stderr } = await client.run(args);
    assert.deepEqual([code, stderr], [0, ""], args.join(" "));
    return stdout;
  };
  await user.upload("models/first", { "b.bin": "x".repeat(1536), "a.txt": "hello" });
  await user.upload("models/first-b", { "c.txt": "c" });
  await user.upload(undefined, { "z.txt": "z" });
  await user.upload(undefined, { "n.txt": "n" });
  await (await server.as(2, ...USER_PRIVILEGES)).upload("theirs", { "t.txt": "t" });

  await t.step("C 25 ls lists a directory, a file, the root and all below", async () => {
    const [root, models, file, below, all, long, theirs] = await Promise.all([
      printed("ls"),
      printed("ls", "/models/"),
      printed("ls", "models/first/a.txt"),
      printed("ls", "-R", "models"),
      printed("ls", "-R"),
      printed("ls", "-l", "models/first"),
      printed("ls", "--tree", "2", "-R"),
    ]);
    assert.equal(root, "models/\nn.txt\nz.txt\n");
    assert.equal(models, "first/\nfirst-b/\n");
    assert.equal(file, "a.txt\n");
    const inModels = ["first/", "first-b/", "first-b/c.txt", "first/a.txt", "first/b.bin"];
    assert.equal(below, inModels.map((it) => `${it}\n`).join(""));
    const inRoot = ["models/", ...inModels.map((it) => `models/${it}`), "n.txt", "z.txt"];
    assert.equal(all, inRoot.map((it) => `${it}\n`).join(""));
    assert.match(
      long,
      /^ {4}5 bytes {2}20\d\d-\d\d-\d\d \d\d:\d\d:\d\d {2}a\.txt\n {4}1\.5 KiB {2}20.{17} {2}b\.bin\n$/,
    );
    assert.equal(theirs, "theirs/\ntheirs/t.txt\n");
  });
  await t.step("C 25 ls of what is not there fails", async () => {
    const { code, stdout, stderr } = await client.run(["ls", "-l", "models/missing"]);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /^strongroom: .*models\/missing.*\(ErrResourcesNotFound\)\n$/);
  });
  await t.step("C 25 ls --json prints an entry a line", async () => {
    const lines = (await printed("ls", "--json", "models/first")).trimEnd().split("\n");
    const entries = items(await user.list({ path: "models/first" }));
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      entries.filter((it) => !it.is_dir),
    );
  });
  await t.step("C 25 tree indents what is below, to a depth", async () => {
    const [all, one] = await Promise.all([
      printed("tree", "models"),
      printed("tree", "--depth", "1"),
    ]);
    assert.equal(
      all,
      "models/\n  first/\n    a.txt\n    b.bin\n  first-b/\n    c.txt\n2 directories, 3 files\n",
    );
    assert.equal(one, "/\n  n.txt\n  z.txt\n  models/\n1 directory, 2 files\n");
  });
  await t.step("C 25 stat prints checksums and the verdict", async () => {
    const [text, json] = await Promise.all([
      printed("stat", "models/first/b.bin"),
      printed("stat", "models/first/a.txt", "--json"),
    ]);
    assert.match(text, /^Path {7}models\/first\/b\.bin\nSize {7}1\.5 KiB \(1,536 bytes\)\n/);
    assert.match(
      text,
      /\nSHA-256 {4}[0-9a-f]{64}\nMD5 {8}[0-9a-f]{32}\n.*\nVerdict {4}unscanned\n$/,
    );
    assert.equal(JSON.parse(json).md5, "5d41402abc4b2a76b9719d911017c592");
  });
  await t.step("C 25 mkdir, mv and cp change the tree, silently in a pipe", async () => {
    assert.equal(await printed("mkdir", "new/deep", "/other"), "");
    assert.equal(await printed("mv", "z.txt", "n.txt", "new/deep"), "");
    assert.equal(await printed("mv", "new/deep/z.txt", "new/y.txt"), "");
    assert.equal(await printed("cp", "models/first", "copy"), "");
    const copied = await printed("cp", "--json", "copy/a.txt", "new/");
    assert.equal(JSON.parse(copied).path, "new/a.txt");
    assert.equal(await printed("ls", "-R", "new"), "a.txt\ndeep/\ndeep/n.txt\ny.txt\n");
    const conflict = await client.run(["mv", "copy/a.txt", "new/a.txt"]);
    assert.deepEqual([conflict.code, conflict.stdout], [1, ""]);
    assert.match(conflict.stderr, /^strongroom: .*new\/a\.txt.*\(ErrResourcesConflict\)\n$/);
    assert.equal(await printed("mv", "--force", "copy/a.txt", "new/a.txt"), "");
  });
  await t.step("C 25 rm deletes files, and directories only with -r", async () => {
    const refused = await client.run(["rm", "new", "missing", "new/a.txt"]);
    assert.deepEqual([refused.code, refused.stdout], [1, ""]);
    assert.match(
      refused.stderr,
      /^strongroom: "new" is a directory: use rm -r\nstrongroom: .*missing.*\(ErrResourcesNotFound\)\n$/,
    );
    assert.equal(await printed("ls", "-R", "new"), "deep/\ndeep/n.txt\ny.txt\n");
    const deleted = (await printed("rm", "-r", "--json", "new", "copy")).trimEnd().split("\n");
    assert.deepEqual(
      deleted.map((line) => JSON.parse(line).path),
      ["copy", "copy/b.bin", "new", "new/deep", "new/deep/n.txt", "new/y.txt"],
    );
    assert.equal(await printed("ls"), "models/\nother/\n");
  });
  await t.step("C 25 link makes, lists and revokes links", async () => {
    const url = (await printed("link", "models/first/a.txt", "--once", "--expires", "1h")).trim();
    const other = JSON.parse(await printed("link", "--json", "models"));
    const list = (await printed("link", "list")).trimEnd().split("\n");
    assert.match(list[0] ?? "", /^ +\d+ {2}active {2}until 20.{21}Z {2}many times {2}models$/);
    assert.match(
      list[1] ?? "",
      /^ +\d+ {2}active {2}until 20.{21}Z {2}once {8}models\/first\/a\.txt$/,
    );
    assert.equal(await (await fetch(url)).text(), "hello");
    assert.equal(await printed("link", "revoke", String(other.id)), "");
    const gone = await fetch(other.url);
    await gone.body?.cancel();
    assert.equal(gone.status, 404);
    const left = (await printed("link", "list", "--json")).trimEnd().split("\n");
    assert.deepEqual(left.map((line) => JSON.parse(line).status), ["used"]);
  });
  await t.step("C 25 a wrong argument is one line, and exit code 2", async () => {
    const cases: readonly (readonly [string[], RegExp])[] = [
      [["ls", "-lx"], /Unknown option -x/],
      [["ls", "a/../b"], /Invalid path/],
      [["ls", "--tree", "-"], /--tree must be the name or the id of a user, not "-"/],
      [["tree", "--depth", "0"], /--depth must be a number of levels from 1 to 999, not "0"/],
      [["mv", "a"], /mv needs one source or more, and a destination/],
      [["rm"], /rm needs one path or more/],
      [["link", "revoke", "x"], /ids of links/],
    ];
    await Promise.all(cases.map(async ([args, message]) => {
      const { code, stdout, stderr } = await client.run(args);
      assert.deepEqual([code, stdout], [2, ""], args.join(" "));
      assert.match(stderr, new RegExp(`^strongroom: .*${message.source}.*\n$`));
    }));
  });
});

Deno.test("C 25 rm and mv split more paths than a request takes", async () => {
  await using directory = await TempDir.make();
  await using server = await TestServer.start();
  const user = await server.as(1, ...USER_PRIVILEGES);
  const client = await RemoteClient.of(server, directory.path);
  const names = Array.from({ length: 1001 }, (_, n) => `file-${String(n).padStart(4, "0")}.txt`);
  for (const part of [names.slice(0, 600), names.slice(600)]) {
    const { status } = await user.upload("d", Object.fromEntries(part.map((it) => [it, it])));
    assert.equal(status, 200);
  }
  const moved = await client.run(["mv", ...names.map((it) => `d/${it}`), "e"]);
  assert.deepEqual([moved.code, moved.stderr], [0, ""]);
  assert.equal((await user.paths({ path: "e" })).filter((it) => it !== "e").length, 1001);
  const deleted = await client.run(["rm", "-r", "--json", ...names.map((it) => `e/${it}`)]);
  assert.deepEqual([deleted.code, deleted.stdout.split("\n").length], [0, 1002]);
  assert.deepEqual(await user.paths({ path: "e" }), ["e"]);
});
