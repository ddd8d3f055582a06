import * as assert from "node:assert/strict";
import { HISTORY_ROW_BYTES } from "../../../core/history.ts";
import { BASE_PATH } from "../../../schemas/base_path.ts";
import { refused } from "../../support/client.ts";
import { TestServer } from "../../support/server.ts";

/** It runs a command when it is loaded. */
const UNSAFE_PICKLE = "cos\nsystem\n(S'id'\ntR.";

Deno.test("C 1 GET /metrics", async (t) => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const admin = await server.admin();
  const get = async (headers: HeadersInit = {}) => {
    const response = await fetch(`${server.origin}/metrics`, { headers });
    const { status } = response;
    return { status, headers: response.headers, text: await response.text() };
  };

  await t.step("C 1 requires resources.admin", async () => {
    refused(await get(), 401, "ErrAuthRequired");
    refused(await get({ Authorization: `Bearer ${one.token}` }), 403, "ErrNotPermitted");
  });
  await t.step("C 1 counts requests by route, in Prometheus's text format", async () => {
    await one.upload("", { f: "12345" });
    await one.bytes({ path: "f" });
    await one.bytes({ path: "f" });
    await one.send("GET", '/unknown/"}forged{a="1');
    const { status, headers, text } = await get({ Authorization: `Bearer ${admin.token}` });
    assert.equal(status, 200);
    assert.match(headers.get("Content-Type") ?? "", /^text\/plain/);
    const download = `${BASE_PATH}/resources/download`;
    const lines = text.split("\n");
    const labels = `method="GET",route="${download}",status="200"`;
    const expected = [
      `strongroom_http_request_seconds_count{${labels}} 2`,
      `strongroom_http_request_seconds_bucket{${labels},le="600"} 2`,
      `strongroom_http_request_seconds_bucket{${labels},le="+Inf"} 2`,
      `strongroom_http_response_bytes_total{${labels}} 10`,
      "strongroom_http_requests_in_flight 1",
      "# TYPE strongroom_http_request_seconds histogram",
      "strongroom_damaged_content_total 0",
    ];
    for (const line of expected) assert.ok(lines.includes(line), `${line}\n${text}`);
    assert.ok(lines.some((line) => /_count\{.*route="none",status="404"\} 1$/.test(line)), text);
    const sample = /^[a-z_]+(\{([a-z]+="[^"\\]*",?)+\})? [\d.e+-]+$/;
    for (const line of lines) {
      assert.ok(line === "" || /^# (HELP|TYPE) \S+ .+$/.test(line) || sample.test(line), line);
    }
    assert.doesNotMatch(text, /forged/);
  });
  await t.step("C 1 shows what is stored, scans, leases, capacity and events", async () => {
    await one.upload("stored", { a: "same", b: "same", large: "x".repeat(100_000) });
    await one.upload("stored", { "unsafe.pkl": UNSAFE_PICKLE });
    const scanner = await server.as(1, "scans.run", "resources.download");
    await scanner.json("POST", "/scans/?wait=60", { path: "stored" });
    await one.remove({ path: "stored/large" });
    const { text } = await get({ Authorization: `Bearer ${admin.token}` });
    const values = new Map(
      text.split("\n").filter((line) => /^(strongroom|process)_/.test(line)).map((line) => {
        const at = line.lastIndexOf(" ");
        return [line.slice(0, at), Number(line.slice(at + 1))];
      }),
    );
    const expected: Readonly<Record<string, number>> = {
      'strongroom_records{kind="file"}': 4,
      'strongroom_records{kind="directory"}': 1,
      strongroom_record_bytes: 5 + 4 + 4 + UNSAFE_PICKLE.length,
      'strongroom_contents{place="database"}': 3,
      'strongroom_content_bytes{place="database"}': 5 + 4 + UNSAFE_PICKLE.length,
      'strongroom_scans{state="queued"}': 0,
      'strongroom_scans_total{status="completed"}': 1,
      'strongroom_scanned_files_total{verdict="dangerous"}': 1,
      'strongroom_tensor_files_total{outcome="read"}': 0,
      'strongroom_leases{state="waiting"}': 0,
      strongroom_event_streams: 0,
    };
    for (const [name, value] of Object.entries(expected)) {
      assert.equal(values.get(name), value, `${name}\n${text}`);
    }
    const positive = [
      "strongroom_database_bytes",
      "strongroom_database_log_bytes",
      "strongroom_commits_total",
      "strongroom_scanned_bytes_total",
      "strongroom_scan_seconds_total",
      "strongroom_events_total",
      "strongroom_host_memory_available_bytes",
      "process_resident_memory_bytes",
      "process_cpu_seconds_total",
    ];
    for (const name of positive) assert.ok((values.get(name) ?? 0) > 0, `${name}\n${text}`);
    const levels = [...values].filter(([name]) => name.startsWith("strongroom_capacity_level"));
    assert.deepEqual(levels.map(([, value]) => value).sort(), [0, 0, 1]);
  });
  await t.step("C 26 shows what history keeps", async () => {
    await using keeping = await TestServer.start({ settings: { history: 86_400_000 } });
    const client = await keeping.as(1);
    for (const content of ["1", "22", "333"]) await client.put("f", content);
    const { token } = await keeping.admin();
    const response = await fetch(`${keeping.origin}/metrics`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    const lines = (await response.text()).split("\n");
    for (
      const line of [
        "strongroom_history_versions 3",
        `strongroom_history_bytes ${3 + 2 * HISTORY_ROW_BYTES}`,
        "strongroom_history_given_up_total 0",
      ]
    ) assert.ok(lines.includes(line), lines.join("\n"));
  });
  await t.step("C 13 requires no credential if METRICS=open", async () => {
    await using open = await TestServer.start({ app: { openMetrics: true } });
    const response = await fetch(`${open.origin}/metrics`);
    assert.equal(response.status, 200);
    await response.body?.cancel();
  });
});
