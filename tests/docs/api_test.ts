import * as assert from "node:assert/strict";
import { ROUTES } from "../../routes/routes.ts";
import { BASE_PATH } from "../../schemas/base_path.ts";
import { ROOT } from "../support/child_server.ts";
import { HubDouble } from "../support/hub_double.ts";
import { hasProgram, run } from "../support/tools.ts";
import { blocksOf, isOutput } from "./blocks.ts";
import { guideTest } from "./guide.ts";

const hasDvc = await hasProgram("dvc", "--version");

/** The hub that the server mirrors. */
const hub = HubDouble.start();
hub.add("google/gemma", { "config.json": '{"model_type":"gemma"}\n' });

guideTest("docs/reference/api.md", {
  env: {
    STRONGROOM_HISTORY: "30d",
    STRONGROOM_MIRROR_URL: hub.url,
    STRONGROOM_MIRROR_HOSTS: hub.contentHost,
    STRONGROOM_MIRROR_MAX_BYTES: "50GiB",
  },
  async prepare({ directory: cwd }) {
    if (!hasDvc) return;
    const { code, stderr } = await run("dvc", ["init", "-q", "--no-scm"], { cwd });
    assert.equal(code, 0, stderr);
  },
});

Deno.test("docs/reference/api.md has an example of every route, with its reply", async () => {
  const blocks = blocksOf(await Deno.readTextFile(`${ROOT}docs/reference/api.md`));
  const requests = blocks.filter((_, index) => blocks.slice(index + 1, index + 2).some(isOutput));
  const shown = new Set(requests.map(({ text }) => routeOf(text)));
  const routes = ROUTES.map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(routes.filter((route) => !shown.has(route)), []);
});

/** The route that a curl command requests, as the table of routes names it. */
function routeOf(script: string): string {
  const [, base = "", path = ""] = /"\$(ORIGIN|URL)(\/[^?"]*)/.exec(script) ?? [];
  const method = /-X (\w+)/.exec(script)?.[1] ??
    (/ -[dF] /.test(script) ? "POST" : / -T /.test(script) ? "PUT" : "GET");
  const pattern = path.replace(/(?<=.)\/$/, "")
    .replace(/^\/(users|teams)\/(?!usage$)[^/]+/, "/$1/{named}").replace(/\/\d+(?=\/|$)/, "/{id}")
    .replace(/^\/files\/.+/, "/files/{+path}").replace(/^\/l\/.+/, "/l/{token}")
    .replace("$ID", "{id}").replace("$JTI", "{jti}");
  return `${method} ${base === "URL" ? BASE_PATH : ""}${pattern}`;
}
