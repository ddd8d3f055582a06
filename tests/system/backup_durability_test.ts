import * as assert from "node:assert/strict";
import { dirname } from "node:path/posix";
import { filesBelow, runBackup } from "../support/backups.ts";
import { items } from "../support/client.ts";
import { noise } from "../support/random.ts";
import { TestServer } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram } from "../support/tools.ts";

// strace also needs the right to trace processes, which some containers lack.
const strace = await hasProgram("strace", "-e", "trace=none", "true");

/** A system call that changes a directory or syncs a file, with paths below the root. */
interface Call {
  readonly kind: "sync" | "rename" | "unlink";
  readonly path: string;
  /** The new path of a rename. */
  readonly to: string;
}

/** The calls that succeeded, in order. */
function callsIn(trace: string, root: string): Call[] {
  const short = (path = "") => path.replace(`${root}/`, "");
  return trace.split("\n").filter((line) => /= 0$/.test(line)).flatMap((line): Call[] => {
    const [, synced] = /\b(?:fsync|fdatasync)\(\d+<([^>]+)>/.exec(line) ?? [];
    if (synced !== undefined) return [{ kind: "sync", path: short(synced), to: "" }];
    const [, from, to] = /\brename(?:at2?)?\(.*?"([^"]+)".*?"([^"]+)"/.exec(line) ?? [];
    if (to !== undefined) return [{ kind: "rename", path: short(from), to: short(to) }];
    const [, removed] = /\bunlink(?:at)?\(.*?"([^"]+)"/.exec(line) ?? [];
    return removed === undefined ? [] : [{ kind: "unlink", path: short(removed), to: "" }];
  });
}

/** Runs the command under strace and returns its calls. */
async function traced(
  command: "backup" | "restore",
  { root, dataDir, backup }: { root: string; dataDir: string; backup: string },
): Promise<Call[]> {
  const trace = `${root}/trace`;
  const calls = "trace=fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat";
  const under = ["strace", "-f", "-y", "-s", "300", "-o", trace, "-e", calls];
  const { code, stderr } = await runBackup({ command, dataDir, backup, under });
  assert.deepEqual([code, stderr], [0, ""]);
  // strace splits a call during which another thread makes one.
  const text = (await Deno.readTextFile(trace)).split("\n");
  const begun = new Map<string, string>();
  const joined = text.flatMap((line) => {
    const [, thread = "", rest = ""] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (rest.endsWith("<unfinished ...>")) {
      begun.set(thread, rest.replace(/ *<unfinished \.\.\.>$/, ""));
      return [];
    }
    return [rest.replace(/^<\.\.\. \w+ resumed> ?/, () => begun.get(thread) ?? "")];
  });
  return callsIn(joined.join("\n"), root);
}

function at(calls: readonly Call[], kind: Call["kind"], path: string): number {
  return calls.findLastIndex((it) =>
    it.kind === kind && (kind === "rename" ? it.to : it.path) === path
  );
}

function checkSynced(calls: readonly Call[], path: string, before: number): void {
  const synced = at(calls, "sync", path);
  assert.ok(synced !== -1 && synced < before, `${path} is synced at ${synced}, before ${before}`);
}

/** Checks that files are synced before they are renamed, and their directories after that. */
function checkDurable(calls: readonly Call[], files: readonly string[], before: number): void {
  for (const file of files) {
    const renamed = at(calls, "rename", file);
    assert.notEqual(renamed, -1, file);
    const from = calls[renamed]?.path ?? "";
    checkSynced(calls, from, renamed);
    for (let it = dirname(file); it !== "." && !it.endsWith("."); it = dirname(it)) {
      if (!it.includes("/")) break;
      const directory = at(calls.slice(0, before), "sync", it);
      assert.ok(directory > renamed, `${it} is synced after ${file} is renamed`);
    }
  }
}

Deno.test({
  name: "C 22 a backup and a restore are synced before they are valid",
  ignore: !strace,
  async fn(t) {
    await using directory = await TempDir.make();
    const root = await Deno.realPath(directory.path);
    const [dataDir, backup] = [`${root}/data`, `${root}/backup`];
    {
      await using server = await TestServer.start({ dataDir, settings: { history: 0 } });
      const one = await server.as(1);
      await Deno.writeTextFile(`${dataDir}/jwt.secret`, "a secret of more than thirty-two bytes");
      items(await one.upload("", { old: noise(70_000, 2) }));
      assert.equal((await runBackup({ command: "backup", dataDir, backup })).code, 0);
      await one.remove({ path: "old" });
      items(
        await one.upload("", {
          small: "small",
          large: noise(1_000_000),
          other: noise(70_000, 3),
          third: noise(70_000, 4),
        }),
      );
    }
    const relative = (paths: readonly string[]) => paths.map((it) => it.replace(`${root}/`, ""));

    await t.step("the manifest is replaced when all else is durable", async () => {
      const calls = await traced("backup", { root, dataDir, backup });
      const valid = at(calls, "rename", "backup/backup.json");
      checkSynced(calls, "backup/backup.json.new", valid);
      const contents = relative(await filesBelow(`${backup}/contents`));
      assert.equal(contents.length, 3);
      checkDurable(calls, contents, valid);
      const snapshot = at(calls, "rename", "backup/snapshots/2");
      for (const it of ["/strongroom.db", "/jwt.secret", ""]) {
        checkSynced(calls, `backup/tmp/snapshot${it}`, snapshot);
      }
      // SQLite syncs the directory as well, but before the secret is there.
      const secret = at(calls, "sync", "backup/tmp/snapshot/jwt.secret");
      assert.ok(at(calls, "sync", "backup/tmp/snapshot") > secret);
      assert.ok(at(calls.slice(0, valid), "sync", "backup/snapshots") > snapshot);
      // What the former state needs goes after that, durably.
      const manifest = calls.findIndex((it, index) =>
        index > valid && it.kind === "sync" && it.path === "backup"
      );
      const removed = calls.findIndex(({ kind, path }) =>
        kind === "unlink" && /^(backup\/contents|backup\/snapshots)/.test(path)
      );
      assert.ok(manifest > valid && removed > manifest, `${valid}, ${manifest}, ${removed}`);
    });
    await t.step("the database of a restore is in place when all else is durable", async () => {
      const target = `${root}/restored`;
      const calls = await traced("restore", { root, dataDir: target, backup });
      const valid = at(calls, "rename", "restored/strongroom.db");
      checkSynced(calls, "restored/restoring/strongroom.db", valid);
      const blobs = relative(await filesBelow(`${target}/blobs`));
      assert.equal(blobs.length, 3);
      checkDurable(calls, blobs, valid);
      checkSynced(calls, "restored/jwt.secret", valid);
      assert.ok(at(calls.slice(valid), "sync", "restored") > 0);
    });
  },
});
