import * as assert from "node:assert/strict";
import { type AuditEntry, auditLine } from "../../../core/audit.ts";
import { AuditFile } from "../../../storage/audit/audit_file.ts";
import { type AuditSink, AuditWriter } from "../../../storage/audit/audit_writer.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

/** A disk that may be full, and then takes only the first bytes of what is written. */
class FakeDisk implements AuditSink {
  text = "";
  isFull = false;

  append(lines: Uint8Array): void {
    if (this.isFull) throw new Error("no space left");
    this.text += new TextDecoder().decode(lines);
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

Deno.test("C 22 lines of the audit log wait in memory while the disk is full", async () => {
  const disk = new FakeDisk();
  const failures: string[] = [];
  await using audit = new AuditWriter({
    sink: disk,
    onFailure: (message) => failures.push(message),
    writeElsewhere: () => assert.fail("nothing waits at the end"),
  });
  audit.write(entry("a"));
  disk.isFull = true;
  audit.write(entry("b"));
  audit.write(entry("c"), entry("d"));
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
  audit.write(entry("a"));
  audit.write(entry("b"));
  assert.equal(audit.isBlocked, true);
  audit.write(entry("c"), entry("d"));
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
  file.append(new TextEncoder().encode('{"action":"b"}\n'));
  file.append(new TextEncoder().encode('{"action":"c"}\n'));
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
  audit.write(entry("a"));
  await Deno.rename(path, `${path}.1`);
  audit.write(entry("b"));
  await until(() => Deno.stat(path).then(() => true, () => false));
  audit.write(entry("c"));
  assert.deepEqual(actionsOf(await Deno.readTextFile(`${path}.1`)), ["a", "b"]);
  assert.deepEqual(actionsOf(await Deno.readTextFile(path)), ["c"]);
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
