import * as assert from "node:assert/strict";
import { ChildServer } from "../support/child_server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram } from "../support/tools.ts";

// strace also needs the right to trace processes, which some containers lack.
const strace = await hasProgram("strace", "-e", "trace=none", "true");

/** The traced calls that name a path, in order, such as `rename blobs/ab/cd/…`. */
function calls(trace: string, dataDir: string): string[] {
  const short = (path: string) => path.replace(`${dataDir}/`, "").replace(dataDir, ".");
  return trace.split("\n").flatMap((line) => {
    const sync = /\b(?:fsync|fdatasync)\(\d+<([^>]+)>/.exec(line);
    if (sync?.[1] !== undefined) return [`sync ${short(sync[1])}`];
    const rename = /\brename(?:at2?)?\(.*"([^"]+)".*"([^"]+)"/.exec(line);
    if (rename?.[2] !== undefined) return [`rename ${short(rename[2])}`];
    const write = /\b(?:write|writev|sendto|sendmsg)\(\d+<(?:TCP|socket)[^>]*>, (.*)/.exec(line);
    return write?.[1]?.includes("HTTP/1.1 200") ? ["reply"] : [];
  });
}

for (const [size, content] of [["small", "f"], ["large", "f".repeat(3_000_000)]] as const) {
  Deno.test({
    name:
      `C 5.6 and C 12 syncs and renames ${size} content, then syncs its directory, then its record`,
    ignore: !strace,
    fn: () => checkOrder(content),
  });
}

/** Uploads content to a server under strace, and checks the order of its system calls. */
async function checkOrder(content: string): Promise<void> {
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
    assert.equal((await one.upload("", { warm: "up" })).status, 200);
    assert.equal((await one.upload("", { f: content })).status, 200);
    await child.end("SIGTERM");
  }
  const all = calls(await Deno.readTextFile(trace), `${dataDir}/data`);
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
  assert.match(before.findLast((call) => call.startsWith("sync ")) ?? "", /^sync tmp\//);
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
