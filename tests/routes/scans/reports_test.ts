import * as assert from "node:assert/strict";
import { Hono } from "hono";
import type { App, AppEnvironment } from "../../../routes/request/environment.ts";
import {
  largeReportPermits,
  MAX_LARGE_REPORTS,
  validateReports,
} from "../../../routes/scans/reports.ts";
import { reportJsonSchema } from "../../../schemas/report/report.ts";
import { type Client, dataOf, refused, type Reply } from "../../support/client.ts";
import { reportFaults } from "../../conformance/report_rules.ts";
import { fullReport } from "../../conformance/report_table.ts";
import { until } from "../../support/until.ts";
import { TestServer, USER_PRIVILEGES } from "../../support/server.ts";

const MIB = 2 ** 20;
const VALIDATE = "/reports/validate";
const JSON_TYPE = { "Content-Type": "application/json" };

/** A validation result, as received. */
interface Validation {
  readonly valid: boolean;
  readonly report?: Record<string, unknown>;
  readonly violations?: readonly { path: string; message: string }[];
  readonly violations_truncated?: boolean;
}

function validationOf(reply: Reply): Validation {
  const data = dataOf(reply);
  assert.ok(typeof data === "object" && data !== null && "valid" in data);
  return { ...data, valid: data.valid === true };
}

/** Sends a body of JSON text. */
function send(client: Client, body: BodyInit, headers: HeadersInit = JSON_TYPE): Promise<Reply> {
  return client.send("POST", VALIDATE, { body, headers });
}

/** The full report with `members`, a JSON text, appended. */
function withMembers(members: string): string {
  return JSON.stringify(fullReport()).replace(/\}$/, `,${members}}`);
}

Deno.test("C 15 report routes require the privilege scans.view", async (t) => {
  await using server = await TestServer.start();
  for (const [method, path] of [["GET", "/reports/schema"], ["POST", VALIDATE]] as const) {
    await t.step(`C 15 ${method} ${path}`, async () => {
      const response = await fetch(server.url + path, { method });
      const { status, headers } = response;
      refused({ status, headers, text: await response.text() }, 401, "ErrAuthRequired");
      const without = await server.as(1, ...USER_PRIVILEGES, "scans.run");
      const message = refused(await without.send(method, path), 403, "ErrNotPermitted");
      assert.match(message, /scans\.view/);
      for (const client of [await server.as(1, "scans.view"), await server.admin()]) {
        const reply = await client.send(method, path);
        assert.ok(reply.status === 200 || reply.status === 400, reply.text);
      }
    });
  }
});

Deno.test("C 15 GET /reports/schema returns the bare JSON Schema", async () => {
  await using server = await TestServer.start();
  const client = await server.as(1, "scans.view");
  for (const path of ["/reports/schema", "/reports/schema/"]) {
    const { status, headers, text } = await client.send("GET", path);
    assert.equal(status, 200);
    assert.equal(headers.get("Content-Type"), "application/schema+json");
    assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(reportJsonSchema())));
  }
});

Deno.test("C 15 POST /reports/validate", async (t) => {
  await using server = await TestServer.start();
  const client = await server.as(1, "scans.view");
  const validate = async (report: unknown) =>
    validationOf(await client.json("POST", VALIDATE, report));
  const violations = async (report: unknown) => {
    const result = await validate(report);
    assert.equal(result.valid, false);
    assert.equal("report" in result, false);
    return result.violations ?? [];
  };

  await t.step("C 15 returns a report unchanged", async () => {
    const reply = await client.json("POST", VALIDATE, fullReport());
    assert.equal(reply.headers.get("Content-Type"), "application/json");
    assert.ok(reply.text.endsWith("}\n"));
    assert.deepEqual(validationOf(reply), { valid: true, report: fullReport() });
  });
  await t.step("C 16 fills in defaults and keeps undeclared properties", async () => {
    const { issues: _, ...given } = { ...fullReport(), tool: { name: "other" } };
    assert.deepEqual(await validate(given), { valid: true, report: { ...given, issues: [] } });
  });
  await t.step("C 16 keeps keys such as __proto__ as data", async () => {
    const text = withMembers('"__proto__":{"a":1},"constructor":{"prototype":{"b":2}}');
    const { valid, report } = validationOf(await send(client, text));
    assert.equal(valid, true);
    assert.equal(JSON.stringify(report), text);
  });
  await t.step("C 15 returns the path of each violation", async () => {
    const report = fullReport();
    const issues = [...report.issues, ...report.issues, { severity: "error" }];
    const meta = { "a/b.bin": { file_size: -1 }, c: { ml_context: { frameworks: [] } } };
    const { duration: _, ...given } = { ...report, issues, file_metadata: meta, total_checks: 1.5 };
    assert.deepEqual(await violations(given), [
      { path: "duration", message: "is missing" },
      { path: "total_checks", message: "must be an integer, not 1.5" },
      { path: "issues[2].message", message: "is missing" },
      {
        path: "issues[2].severity",
        message: 'must be one of debug, info, warning, critical, not "error"',
      },
      {
        path: 'file_metadata["a/b.bin"].file_size',
        message: "must be an integer of at least 0 or null, not -1",
      },
      {
        path: "file_metadata.c.ml_context.frameworks",
        message: "must be an object, not an array",
      },
    ]);
  });
  await t.step("C 15 returns an empty path if the report itself is invalid", async () => {
    for (const [value, shown] of [[[], "an array"], [null, "null"], ["a", '"a"'], [1, "1"]]) {
      const message = `must be an object, not ${shown}`;
      assert.deepEqual(await violations(value), [{ path: "", message }]);
    }
  });
  await t.step("C 15 shortens values and keys", async () => {
    const long = "\u0000\n".repeat(10_000);
    const report = { ...fullReport(), has_errors: long, file_metadata: { [long]: 1 } };
    for (const { path, message } of await violations(report)) {
      assert.ok(path.length < 1500 && message.length < 1500, `${path.length} ${message.length}`);
      assert.doesNotMatch(path + message, /\n/);
    }
  });
  await t.step("C 15 returns at most 1000 violations", async () => {
    const report = (count: number) => ({ ...fullReport(), scanner_names: Array(count).fill(1) });
    const all = await validate(report(1000));
    assert.deepEqual([all.violations?.length, all.violations_truncated], [1000, undefined]);
    const some = await validate(report(100_000));
    assert.deepEqual([some.violations?.length, some.violations_truncated], [1000, true]);
  });
});

Deno.test("C 3 and C 15 POST /reports/validate refuses invalid bodies", async (t) => {
  await using server = await TestServer.start();
  const client = await server.as(1, "scans.view");
  const why = async (body: BodyInit, headers?: HeadersInit) =>
    refused(await send(client, body, headers), 400, "ErrResourcesInvalidRequest");
  const rows: [string, BodyInit, RegExp][] = [
    ["an empty body", "", /not valid JSON/],
    ["broken JSON", '{"a":', /not valid JSON/],
    ["JSON followed by more", "{} {}", /not valid JSON/],
    ["a number that JSON lacks", '{"duration":NaN}', /not valid JSON/],
    ["an unterminated string", '{"a\\', /not valid JSON/],
    ["invalid UTF-8", new Uint8Array([0x22, 0xff, 0x22]), /UTF-8/],
    ["too many levels", `${"[".repeat(101)}${"]".repeat(101)}`, /more than 100 levels/],
    ["unclosed levels", "[".repeat(5 * MIB), /more than 100 levels/],
    ["too many objects", `[${"{},".repeat(2 ** 19)}{}]`, /more than 524288 objects/],
    ["too many values", `[${"0,".repeat(2 ** 22)}0]`, /more than 4194304 values/],
    ["more than 64 MiB", new Uint8Array(64 * MIB + 1).fill(0x20), /larger than 64.0 MiB$/],
  ];
  for (const [name, body, reason] of rows) {
    await t.step(`C 15 ${name}`, async () => {
      const message = await why(body);
      assert.match(message, reason);
      assert.ok(message.length < 500);
    });
  }
  await t.step("C 3 refuses another Content-Type", async () => {
    for (const type of ["text/plain", "application/json5", "application/x-www-form"]) {
      const headers = { "Content-Type": type };
      assert.match(await why(JSON.stringify(fullReport()), headers), /Content-Type/);
    }
  });
  await t.step("C 3 accepts no Content-Type, and one with parameters", async () => {
    const bytes = new TextEncoder().encode(JSON.stringify(fullReport()));
    assert.equal(validationOf(await send(client, bytes, {})).valid, true);
    const headers = { "Content-Type": "Application/JSON; charset=utf-8" };
    assert.equal(validationOf(await send(client, bytes, headers)).valid, true);
  });
  await t.step(
    "C 15 does not count brackets, commas and quotes in a string",
    async () => {
      const text = JSON.stringify('\\"' + '[{"\\,'.repeat(3 * 2 ** 20));
      const { report } = validationOf(await send(client, withMembers(`"note":${text}`)));
      assert.equal(report?.["note"], JSON.parse(text));
    },
  );
});

Deno.test("C 15 accepts a report of 64 MiB", async () => {
  await using server = await TestServer.start();
  const client = await server.as(1, "scans.view");
  const issue = JSON.stringify({ ...fullReport().issues[0], why: "x".repeat(5000) });
  const { issues: _, ...rest } = fullReport();
  const start = JSON.stringify(rest).replace(/\}$/, ',"issues":[');
  const count = Math.floor((64 * MIB - start.length - 2) / (issue.length + 1));
  const text = `${start}${Array(count).fill(issue).join()}]}`.padEnd(64 * MIB);
  const { valid, report } = validationOf(await send(client, text));
  assert.equal(valid, true);
  assert.equal(Array.isArray(report?.["issues"]) && report["issues"].length, count);
  assert.deepEqual(reportFaults(report), []);
});

Deno.test("C 15 limits how many large reports are in memory at once", async () => {
  const gate = Promise.withResolvers<void>();
  const validated: number[] = [];
  await using server = await TestServer.start({
    app: {
      async validateReport(body) {
        validated.push(body.length);
        if (body.length > MIB) await gate.promise;
        return new TextEncoder().encode('{"valid":true}');
      },
    },
  });
  const client = await server.as(1, "scans.view");
  const large = Array.from(
    { length: MAX_LARGE_REPORTS + 4 },
    async (_, index) => await send(await server.as(index + 1, "scans.view"), "x".repeat(2 * MIB)),
  );
  await until(() => validated.length === MAX_LARGE_REPORTS);
  // Small reports do not wait for them.
  assert.equal((await send(client, "{}")).status, 200);
  assert.equal(validated.length, MAX_LARGE_REPORTS + 1);
  gate.resolve();
  for (const reply of await Promise.all(large)) assert.equal(reply.status, 200);
  assert.equal(validated.length, MAX_LARGE_REPORTS + 5);
});

Deno.test("C 15 reports of one user that drip do not hold those of others", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1, "scans.view");
  const two = await server.as(2, "scans.view");
  const gone = new AbortController();
  const dripping = () =>
    one.fetch(VALIDATE, {
      method: "POST",
      headers: JSON_TYPE,
      signal: gone.signal,
      body: new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode("{")) }),
    });
  const drips = Array.from({ length: 2 * MAX_LARGE_REPORTS }, dripping);
  const ended = Promise.allSettled(drips);
  const inFlight = `strongroom_http_requests_in_flight ${drips.length + 1}`;
  const admin = await server.admin();
  await until(async () =>
    (await (await fetch(`${server.origin}/metrics`, {
      headers: { Authorization: `Bearer ${admin.token}` },
    })).text()).includes(inFlight)
  );
  const large = JSON.stringify(fullReport()) + " ".repeat(2 * MIB);
  assert.equal(validationOf(await send(two, large)).valid, true);
  gone.abort();
  await ended;
  assert.equal(validationOf(await send(one, large)).valid, true);
});

Deno.test("C 15 a report that does not arrive in time is refused and gives its permit back", async () => {
  const permits = largeReportPermits();
  const app: App = new Hono<AppEnvironment>();
  app.post("/", (c) => {
    c.set("caller", { userId: 1, privileges: new Set(), expiresAt: Infinity });
    return validateReports(c, () => assert.fail(), permits, { withinMs: 1 });
  });
  let refusal: unknown;
  app.onError((error, c) => {
    refusal = error;
    return c.body(null, 400);
  });
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>();
  await app.request("/", { method: "POST", body });
  assert.match(String(refusal), /Cannot read the body: not received within 0.001 s/);
  using _permit = await permits.acquire(AbortSignal.timeout(10_000), 1);
});
