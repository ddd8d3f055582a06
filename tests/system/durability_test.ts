import * as assert from "node:assert/strict";
import { ChildServer } from "../support/child_server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram } from "../support/tools.ts";

// strace also needs the right to trace processes, which some containers lack.
const strace = await hasProgram("strace", "-e", "trace=none", "true");

/**
 * The traced calls that name a path, in order, such as `rename blobs/ab/cd/…`. The audit log is synced
 * at any time.
 */
function calls(trace: string, dataDir: string): string[] {
  const short = (path: string) => path.replace(`${dataDir}/`, "").replace(dataDir, ".");
  return trace.split("\n").filter((line) => !line.includes("audit.log")).flatMap((line) => {
    const sync = /\b(?:fsync|fdatasync)\(\d+<([^>]+)>/.exec(line);
    if (sync?.[1] !== undefined) return [`sync ${short(sync[1])}`];
    const rename = /\brename(?:at2?)?\(.*"([^"]+)".*"([^"]+)"/.exec(line);
    if (rename?.[2] !== undefined) return [`rename ${short(rename[2])}`];
    const write = /\b(?:write|writev|sendto|sendmsg)\(\d+<(?:TCP|socket)[^>]*>, (.*)/.exec(line);
    return write?.[1]?.includes("HTTP/1.1 200") ? ["reply"] : [];
  });
}

Deno.test({
  name:
    "C 5.4, C 5.6 and C 12 syncs large content and its row, renames it, then syncs its directory, then its record",
  ignore: !strace,
  fn: async () => checkFileOrder(await callsOfUpload("f".repeat(3_000_000))),
});

Deno.test({
  name: "C 5.6 and C 12 syncs small content with its record, in one step, before it replies",
  ignore: !strace,
  async fn() {
    const all = await callsOfUpload("f");
    const sync = "sync strongroom.db-wal";
    const replies = all.flatMap((call, index) => call === "reply" ? [index] : []);
    const [warm, last] = replies.slice(-2);
    // Between the replies to the two uploads, there is nothing but the sync of the second one.
    assert.deepEqual(all.slice((warm ?? 0) + 1, last), [sync], all.join("\n"));
    const markerSynced = all.indexOf("sync lock");
    assert.ok(markerSynced !== -1 && markerSynced < warmSync(all, warm), all.join("\n"));
  },
});

/** The sync of the commit that comes before a reply. */
function warmSync(all: readonly string[], reply: number | undefined): number {
  return all.lastIndexOf("sync strongroom.db-wal", reply);
}

/** Uploads content to a server under strace, and returns its system calls. */
async function callsOfUpload(content: string): Promise<string[]> {
  await using directory = await TempDir.make();
  const dataDir = await Deno.realPath(directory.path);
  const trace = `${directory.path}/trace`;
  const under = ["strace", "-f", "-y", "-s", "64", "-o", trace] as const;
  const filter = "trace=fsync,fdatasync,rename,renameat,renameat2,write,writev,sendto,sendmsg";
  {
    await using child = await ChildServer.start({
      dataDir: `${dataDir}/data`,
      under: [...under, "-e", filter],
    });
    const one = await child.as(1);
    const warm = content.replaceAll("f", "g");
    assert.equal((await one.upload("", { warm })).status, 200);
    assert.equal((await one.upload("", { f: content })).status, 200);
    await child.end("SIGTERM");
  }
  return calls(await Deno.readTextFile(trace), `${dataDir}/data`);
}

/** Checks the order of the system calls for content in a file. */
function checkFileOrder(all: readonly string[]): void {
  // The crash marker is durable before anything that a crash could leave behind.
  const markerSynced = all.indexOf("sync lock");
  assert.ok(
    markerSynced !== -1 && markerSynced < all.findIndex((call) => call.startsWith("sync tmp/")),
  );
  const renamed = all.findLastIndex((call) => /^rename blobs\//.test(call));
  assert.notEqual(renamed, -1, all.join("\n"));
  const target = (all[renamed] ?? "").slice("rename ".length);
  const fan = target.slice(0, target.lastIndexOf("/"));
  const before = all.slice(0, renamed);
  const after = all.slice(renamed + 1);
  // A crash after the rename finds the content by the row that the database has of it.
  const staged = before.filter((call) => call.startsWith("sync ")).slice(-2);
  assert.match(staged.join(), /^sync tmp\/.*,sync strongroom.db-wal$/);
  const steps = [
    after.indexOf(`sync ${fan}`),
    after.indexOf("sync strongroom.db-wal"),
    after.indexOf("reply"),
  ];
  assert.ok(steps.every((step) => step !== -1), after.join("\n"));
  assert.deepEqual(steps, steps.toSorted((a, b) => a - b), after.join("\n"));
  // The directories created for it are durable as well.
  const [blobs = "", first = ""] = fan.split("/");
  for (const created of [blobs, `${blobs}/${first}`]) {
    const synced = after.indexOf(`sync ${created}`);
    assert.ok(synced !== -1 && synced < after.indexOf("sync strongroom.db-wal"), created);
  }
}
