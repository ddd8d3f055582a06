import * as assert from "node:assert/strict";
import { Log, type LogFormat, type LogLevel } from "../../core/log.ts";

function logged(format: LogFormat, level: LogLevel, write: (log: Log) => void): string[] {
  const lines: string[] = [];
  write(new Log({ format, level, write: (line) => lines.push(line) }));
  return lines;
}

Deno.test("Log drops lines below the level (C 13, LOG_LEVEL)", () => {
  const all = (log: Log) => {
    log.debug("d");
    log.info("i");
    log.warn("w");
    log.error("e");
  };
  const counts = (["debug", "info", "warn", "error"] as const).map((level) =>
    logged("text", level, all).length
  );
  assert.deepEqual(counts, [4, 3, 2, 1]);
});

Deno.test("Log writes JSON, one object per line", () => {
  const error = new Error("outer", { cause: new Error("inner") });
  const [line = ""] = logged(
    "json",
    "info",
    (log) =>
      log.info("message", { text: 'a "b"\n', number: 1.5, yes: true, none: undefined, error }),
  );
  const { time, error: shown, ...rest } = JSON.parse(line);
  assert.ok(!Number.isNaN(Date.parse(time)));
  assert.match(shown, /Error: outer[\s\S]*Caused by: Error: inner/);
  assert.deepEqual(rest, {
    level: "info",
    msg: "message",
    text: 'a "b"\n',
    number: 1.5,
    yes: true,
  });
  assert.equal(line.includes("\n"), false);
});

Deno.test("Log escapes values that would forge text lines or fields", () => {
  const hostile = "x\n2026-01-01T00:00:00.000Z INFO  forged user=1 \u001b[31m\u202e\u2028 \u0085";
  const [line = ""] = logged(
    "text",
    "info",
    (log) => log.info("request", { path: hostile, plain: "/a/b-c.d", empty: "" }),
  );
  assert.match(line, /^\S+Z INFO {2}request path="x\\n2026.*" plain=\/a\/b-c\.d empty=""$/);
  const [json = ""] = logged("json", "info", (log) => log.info("request", { path: hostile }));
  assert.equal(JSON.parse(json).path, hostile);
  for (const written of [line, json]) {
    // deno-lint-ignore no-control-regex -- the test checks that there are no control characters
    assert.doesNotMatch(written, /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/);
  }
});
