import * as assert from "node:assert/strict";
import { ROUTES } from "../../routes/routes.ts";
import { BASE_PATH } from "../../schemas/base_path.ts";
import { ROOT } from "../support/child_server.ts";
import { mintToken, TestServer } from "../support/server.ts";
import { hasProgram, run } from "../support/tools.ts";

interface Example {
  readonly script: string;
  readonly language: string;
  readonly reply: string;
}

/** The requests of docs/api.md, each with the reply that follows it. */
function examplesOf(markdown: string): Example[] {
  const pairs = markdown.matchAll(
    /```sh\n(curl|printf)([\s\S]*?)```\n\n```(json|text)\n([\s\S]*?)```/g,
  );
  return [...pairs].map(([, program = "", rest = "", language = "", reply = ""]) => ({
    script: program + rest,
    language,
    reply,
  }));
}

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
/** As a key, allows more properties. As a value, stands for any string. */
const ELLIPSIS = "…";

/** Asserts that a reply is the documented one. Times may differ. */
function matches(actual: unknown, documented: unknown, at: string): void {
  if (documented === ELLIPSIS) return assert.equal(typeof actual, "string", at);
  if (typeof documented === "string" && TIME.test(documented)) {
    return assert.match(String(actual), TIME, at);
  }
  if (typeof documented !== "object" || documented === null) {
    return assert.deepEqual(actual, documented, at);
  }
  assert.ok(typeof actual === "object" && actual !== null, at);
  const expected = new Map(Object.entries(documented));
  const more = expected.delete(ELLIPSIS);
  const found = new Map<string, unknown>(Object.entries(actual));
  const extra = [...found.keys()].filter((key) => !expected.has(key));
  if (!more) assert.deepEqual(extra, [], at);
  for (const [key, value] of expected) {
    assert.ok(found.has(key), `${at}.${key} is missing`);
    matches(found.get(key), value, `${at}.${key}`);
  }
}

Deno.test({
  name: "docs/api.md: each request has the reply that follows it",
  ignore: !await hasProgram("curl", "--version") || !await hasProgram("bash", "--version"),
  async fn(t) {
    const examples = examplesOf(await Deno.readTextFile(`${ROOT}docs/api.md`));
    await using server = await TestServer.start();
    const env = {
      ORIGIN: server.origin,
      URL: server.url,
      TOKEN: await mintToken({ userId: 1, privileges: ["resources.admin"] }),
    };
    for (const { script, language, reply } of examples) {
      await t.step(script.split("\n")[0] ?? "", async () => {
        const { code, stdout, stderr } = await run("bash", ["-euc", script], { env });
        assert.equal(code, 0, stderr);
        if (language === "json") matches(JSON.parse(stdout), JSON.parse(reply), "reply");
        else assert.ok(stdout.includes(reply.trim()), stdout);
      });
    }
    await t.step("every route has an example", () => {
      const shown = new Set(examples.map(({ script }) => routeOf(script)));
      const routes = ROUTES.map(({ method, path }) => `${method} ${path}`);
      assert.deepEqual(routes.filter((route) => !shown.has(route)), []);
    });
  },
});

/** The route that a curl command requests, as the table of routes names it. */
function routeOf(script: string): string {
  const [, base = "", path = ""] = /"\$(ORIGIN|URL)(\/[^?"]*)/.exec(script) ?? [];
  const method = /-X (\w+)/.exec(script)?.[1] ??
    (/ -[dF] /.test(script) ? "POST" : / -T /.test(script) ? "PUT" : "GET");
  const pattern = path.replace(/(?<=.)\/$/, "").replace(/\/\d+(?=\/|$)/, "/{id}")
    .replace(/^\/files\/.+/, "/files/{+path}").replace(/^\/l\/.+/, "/l/{token}");
  return `${method} ${base === "URL" ? BASE_PATH : ""}${pattern}`;
}
