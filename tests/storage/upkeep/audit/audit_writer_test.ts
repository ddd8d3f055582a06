import * as assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { type AuditEntry, auditLine } from "../../../../core/audit.ts";
import { AuditFile } from "../../../../storage/upkeep/audit/audit_file.ts";
import { AuditTrailFile } from "../../../../storage/upkeep/audit/audit_trail_file.ts";
import {
  type Appended,
  type AuditSink,
  AuditWriter,
} from "../../../../storage/upkeep/audit/audit_writer.ts";
import { TempDir } from "../../../support/temp_dir.ts";
import { until } from "../../../support/until.ts";

/** A disk that may be full, and then takes only the first bytes of what is written. */
class FakeDisk implements AuditSink {
  text = "";
  isFull = false;

  append(lines: Uint8Array): Promise<Appended> {
    if (this.isFull) return Promise.resolve({ bytes: 0, error: new Error("no space left") });
    this.text += new TextDecoder().decode(lines);
    return Promise.resolve({ bytes: lines.length });
  }

  sync(): Promise<void> {
    return Promise.resolve();
  }

  close() {}
}

function entry(action: string): AuditEntry {
  return { action, outcome: "ok", user: 1 };
}

function actionsOf(text: string): string[] {
  return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line).action);
}

Deno.test("C 22 what is recorded while and after the log is closed is not lost", async () => {
  await using directory = await TempDir.make();
  let elsewhere = "";
  const path = `${directory.path}/audit.log`;
  const audit = new AuditWriter({
    sink: new AuditFile(path),
    onFailure: (_, error) => assert.fail(error),
    writeElsewhere: (lines) => elsewhere += lines,
  });
  const closed = audit[Symbol.asyncDispose]();
  // As a request does that is still being served.
  const late = (async () => {
    for (let count = 0; count < 1000; count++) await audit.write(entry(`late ${count}`));
  })();
  await Promise.all([closed, late]);
  await audit.write(entry("last"));
  const actions = actionsOf(await Deno.readTextFile(path) + elsewhere);
  assert.deepEqual(
    actions.toSorted(),
    [
      "last",
      ...Array.from({ length: 1000 }, (_, count) => `late ${count}`),
    ].toSorted(),
  );
});

Deno.test("C 22 lines of the audit log wait in memory while the disk is full", async () => {
  const disk = new FakeDisk();
  const failures: string[] = [];
  await using audit = new AuditWriter({
    sink: disk,
    onFailure: (message) => failures.push(message),
    writeElsewhere: () => assert.fail("nothing waits at the end"),
  });
  await audit.write(entry("a"));
  assert.deepEqual(actionsOf(disk.text), ["a"]);
  disk.isFull = true;
  await audit.write(entry("b"));
  await audit.write(entry("c"), entry("d"));
  assert.deepEqual(failures, ["Cannot write to the audit log; its lines wait in memory"]);
  assert.equal(audit.isBlocked, false);
  disk.isFull = false;
  await until(() => actionsOf(disk.text).length > 1);
  assert.deepEqual(actionsOf(disk.text), ["a", "b", "c", "d"]);
});

Deno.test("C 22 entries that cannot even wait are counted in the audit log", async () => {
  const disk = new FakeDisk();
  await using audit = new AuditWriter({
    sink: disk,
    onFailure() {},
    writeElsewhere: () => assert.fail("nothing waits at the end"),
    maxWaitingBytes: 100,
  });
  disk.isFull = true;
  await audit.write(entry("a"));
  await audit.write(entry("b"));
  assert.equal(audit.isBlocked, true);
  await audit.write(entry("c"), entry("d"));
  disk.isFull = false;
  await until(() => actionsOf(disk.text).length === 3);
  assert.equal(audit.isBlocked, false);
  assert.deepEqual(actionsOf(disk.text), ["a", "b", "audit.lost"]);
  assert.equal(JSON.parse(disk.text.trim().split("\n").at(-1) ?? "").entries, 2);
});

Deno.test("C 22 lines that still wait at the end are written elsewhere", async () => {
  const disk = new FakeDisk();
  let elsewhere = "";
  const audit = new AuditWriter({
    sink: disk,
    onFailure() {},
    writeElsewhere: (lines) => elsewhere += lines,
  });
  disk.isFull = true;
  audit.write(entry("a"));
  audit.write(entry("b"));
  await audit[Symbol.asyncDispose]();
  assert.deepEqual(actionsOf(elsewhere), ["a", "b"]);
});

Deno.test("C 22 a line after one that a crash cut off starts on a line of its own", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/audit.log`;
  await Deno.writeTextFile(path, '{"action":"a"}\n{"acti');
  const file = new AuditFile(path);
  await file.append(new TextEncoder().encode('{"action":"b"}\n'));
  await file.append(new TextEncoder().encode('{"action":"c"}\n'));
  file.close();
  const lines = (await Deno.readTextFile(path)).split("\n");
  assert.deepEqual(lines, ['{"action":"a"}', '{"acti', '{"action":"b"}', '{"action":"c"}', ""]);
});

Deno.test("C 22 the audit log goes on in a new file when its file was renamed", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/audit.log`;
  const file = new AuditFile(path);
  await using audit = new AuditWriter({
    sink: file,
    onFailure: (_, error) => assert.fail(error),
    writeElsewhere: () => assert.fail("nothing waits at the end"),
  });
  await audit.write(entry("a"));
  await Deno.rename(path, `${path}.1`);
  await audit.write(entry("b"));
  await until(() => Deno.stat(path).then(() => true, () => false));
  await audit.write(entry("c"));
  assert.deepEqual(actionsOf(await Deno.readTextFile(`${path}.1`)), ["a", "b"]);
  assert.deepEqual(actionsOf(await Deno.readTextFile(path)), ["c"]);
});

Deno.test("C 22 the audit log goes on in a file that is not renamed while it is opened", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/audit.log`;
  const file = new AuditFile(path);
  do {
    await file.sync();
    await Deno.rename(path, `${path}.1`);
    const reopened = file.sync();
    while (!existsSync(path)) {
      await new Promise((resolve) => setImmediate(resolve));
      // The thread is held, so that nothing is opened between the file's creation and its renaming.
      const end = performance.now() + 5;
      while (!existsSync(path) && performance.now() < end) { /* look again */ }
    }
    Deno.renameSync(path, `${path}.1`);
    await reopened;
    // Renamed too late, the file is missing until the next sync.
  } while (!existsSync(path));
  await file.append(new TextEncoder().encode("later\n"));
  file.close();
  assert.equal(await Deno.readTextFile(path), "later\n");
});

Deno.test("C 22 the audit log is read on in the files of before, and stays within its size", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/audit.log`;
  const line = (number: number) =>
    `${auditLine({ action: "a", outcome: "ok", user: number, paths: ["x"] }, new Date(number))}\n`;
  const bytes = line(100).length;
  const file = new AuditFile(path, 8 * 10 * bytes);
  for (let number = 100; number < 300; number++) {
    await file.append(new TextEncoder().encode(line(number)));
    await file.sync();
  }
  file.close();
  const names = (await Array.fromAsync(Deno.readDir(directory.path))).map(({ name }) => name);
  const older = [1, 2, 3, 4, 5, 6, 7].map((number) => `audit.log.${number}`);
  assert.deepEqual(names.sort(), ["audit.log", ...older]);
  const read = async () => {
    const trail = new AuditTrailFile({ path });
    const page = await trail.read({ limit: 1000, choose: () => "keep" });
    return page?.lines.map(({ user }) => user);
  };
  const kept = Array.from({ length: 70 }, (_, index) => 299 - index);
  assert.deepEqual(await read(), kept);
  // What a kill within a rotation leaves.
  for (let number = 7; number > 2; number--) {
    await Deno.rename(`${path}.${number}`, `${path}.${number + 1}`);
  }
  assert.deepEqual(await read(), kept);
});

Deno.test("C 22 nothing waits for the lines of the audit log while its disk does not answer", async () => {
  const disk = new FakeDisk();
  const answered = Promise.withResolvers<void>();
  const failures: string[] = [];
  await using audit = new AuditWriter({
    sink: {
      append: async (lines) => {
        await answered.promise;
        return await disk.append(lines);
      },
      sync: () => answered.promise,
      close() {},
    },
    onFailure: (_, error) => failures.push(error.message),
    writeElsewhere: () => assert.fail("nothing waits at the end"),
    maxWaitingBytes: 200,
  });
  await audit.write(entry("a"));
  await audit.write(entry("b"));
  assert.deepEqual([failures, disk.text], [["The disk does not answer"], ""]);
  assert.equal(audit.isBlocked, false);
  await audit.write(entry("c"));
  assert.equal(audit.isBlocked, true);
  answered.resolve();
  await until(() => !audit.isBlocked);
  await audit.write(entry("d"));
  assert.deepEqual(actionsOf(disk.text), ["a", "b", "c", "d"]);
});

Deno.test("C 22 a line of the audit log is bounded, and says how many paths it leaves out", () => {
  const paths = Array.from({ length: 1000 }, (_, i) => `${i}/${"x".repeat(4000)}`);
  const line = auditLine(
    { action: "a", outcome: "ok", paths, details: { reason: "r".repeat(1e6) } },
    new Date(0),
  );
  assert.ok(line.length < 20_000, `${line.length}`);
  const { paths: shown, more_paths } = JSON.parse(line);
  assert.equal(shown.length + more_paths, 1000);
  assert.deepEqual(shown, paths.slice(0, shown.length));
});
