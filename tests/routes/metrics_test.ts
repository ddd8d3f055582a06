import * as assert from "node:assert/strict";
import { BASE_PATH } from "../../routes/routes.ts";
import { refused } from "../support/client.ts";
import { TestServer } from "../support/server.ts";

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
    ];
    for (const line of expected) assert.ok(lines.includes(line), `${line}\n${text}`);
    assert.ok(lines.some((line) => /_count\{.*route="none",status="404"\} 1$/.test(line)), text);
    const sample = /^[a-z_]+(\{([a-z]+="[^"\\]*",?)+\})? [\d.e+-]+$/;
    for (const line of lines) {
      assert.ok(line === "" || /^# (HELP|TYPE) \S+ .+$/.test(line) || sample.test(line), line);
    }
    assert.doesNotMatch(text, /forged/);
  });
  await t.step("C 13 requires no credential if METRICS=open", async () => {
    await using open = await TestServer.start({ app: { openMetrics: true } });
    const response = await fetch(`${open.origin}/metrics`);
    assert.equal(response.status, 200);
    await response.body?.cancel();
  });
});
