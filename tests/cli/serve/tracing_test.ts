import * as assert from "node:assert/strict";
import * as v from "valibot";
import { ChildServer } from "../../support/child_server.ts";
import { follow, linkTo } from "../../support/links.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

const Traces = v.object({
  resourceSpans: v.array(v.object({
    scopeSpans: v.array(v.object({
      spans: v.array(v.object({
        name: v.string(),
        attributes: v.array(v.object({
          key: v.string(),
          value: v.object({ stringValue: v.optional(v.string()) }),
        })),
      })),
    })),
  })),
});

Deno.test("C 31 OpenTelemetry spans of requests have the route, and no token of a link", async () => {
  const spans: { name: string; route: string | undefined }[] = [];
  let received = "";
  await using sink = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const text = await request.text();
      received += text;
      const body: unknown = JSON.parse(text);
      if (!request.url.endsWith("/v1/traces")) return Response.json({});
      const { resourceSpans } = v.parse(Traces, body);
      const all = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((it) => it.spans));
      for (const { name, attributes } of all) {
        const route = attributes.find(({ key }) => key === "http.route")?.value.stringValue;
        spans.push({ name, route });
      }
      return Response.json({});
    },
  );
  await using dir = await TempDir.make();
  await using server = await ChildServer.start({
    dataDir: dir.path,
    env: {
      OTEL_DENO: "true",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${sink.addr.port}`,
      OTEL_BSP_SCHEDULE_DELAY: "100",
    },
  });
  const user = await server.as(1);
  await user.upload("", { f: "text" });
  await user.bytes({ path: "f" });
  await until(() => spans.some(({ name }) => name.includes("download")));
  const route = "/api/v1/resources/download";
  assert.ok(spans.some((span) => span.name === `GET ${route}` && span.route === route));

  const { url } = await linkTo(user, "f");
  const { origin, pathname, hash } = new URL(url);
  const token = hash.slice(1);
  assert.match(token, /^[\w-]{22}$/);
  const body = new URLSearchParams({ token });
  assert.equal((await follow(origin + pathname, { method: "POST", body })).text, "text");
  await until(() => spans.some(({ name }) => name === "POST /l"));
  assert.ok(!received.includes(token));
});
