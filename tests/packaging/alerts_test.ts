import * as assert from "node:assert/strict";
import * as v from "valibot";
import { ROOT } from "../support/child_server.ts";
import { TestServer } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram, run } from "../support/tools.ts";
import { HAS_YAML, readYamlFile } from "../support/yaml.ts";

const RULES = `${ROOT}packaging/prometheus/alerts.yaml`;
const TESTS = `${ROOT}tests/packaging/alerts.yaml`;

const Rules = v.object({
  groups: v.array(v.object({
    rules: v.array(v.strictObject({
      alert: v.string(),
      expr: v.string(),
      for: v.optional(v.string()),
      labels: v.strictObject({ severity: v.picklist(["critical", "warning"]) }),
      annotations: v.strictObject({ summary: v.string(), description: v.string() }),
    })),
  })),
});

/** Metrics of Prometheus itself, which it makes for each server. */
const OF_PROMETHEUS = ["up"];

Deno.test({
  name: "C 1 alerts use metrics and labels that a server has, and the guide lists them all",
  ignore: !HAS_YAML,
  async fn() {
    const { groups } = v.parse(Rules, (await readYamlFile(RULES))[0]);
    const rules = groups.flatMap((it) => it.rules);
    await using server = await TestServer.start({ app: { openMetrics: true } });
    // The first requests are in the metrics that the next one reads.
    await (await fetch(`${server.origin}/readyz`)).text();
    await (await fetch(`${server.origin}/metrics`)).text();
    const metrics = await (await fetch(`${server.origin}/metrics`)).text();
    const served = metrics.matchAll(/^(\w+)(?:\{(.*)\})? /gm)
      .map(([, name = "", labels = ""]) => [name, labels] as const).toArray();
    for (const { alert, expr } of rules) {
      const used = [...expr.matchAll(/\b((?:strongroom|process)_\w+|up)\b(?:\{([^}]*)\})?/g)];
      assert.ok(used.length > 0, alert);
      for (const [, name = "", selectors = ""] of used) {
        if (OF_PROMETHEUS.includes(name)) continue;
        const found = served.filter(([it]) => it === name);
        assert.ok(found.length > 0, `${alert}: ${name} is not served`);
        // Those that are compared with a text must have it, but for the status of a failure.
        const exact = selectors.matchAll(/(\w+)="([^"]*)"/g)
          .filter(([, label]) => label !== "status");
        for (const [selector] of exact) {
          assert.ok(found.some(([, labels]) => labels.includes(selector)), `${alert}: ${selector}`);
        }
      }
    }
    const guide = await Deno.readTextFile(`${ROOT}docs/guides/fleet.md`);
    const described = guide.matchAll(/^\| `(Strongroom\w+)`/gm).map(([, name]) => name).toArray();
    assert.deepEqual(described, rules.map(({ alert }) => alert));
    const tests = await Deno.readTextFile(TESTS);
    for (const { alert } of rules) assert.ok(tests.includes(`alertname: ${alert},`), alert);
  },
});

Deno.test({
  name: "C 1 alerts fire when something is wrong, and only then",
  ignore: !await hasProgram("promtool", "--version"),
  async fn() {
    await using directory = await TempDir.make();
    const checked = await run("promtool", ["check", "rules", RULES]);
    assert.equal(checked.code, 0, checked.stdout + checked.stderr);
    const tests = `${directory.path}/tests.yaml`;
    await Deno.writeTextFile(
      tests,
      (await Deno.readTextFile(TESTS)).replace("[RULES]", `[${RULES}]`),
    );
    const tested = await run("promtool", ["test", "rules", tests]);
    assert.equal(tested.code, 0, tested.stdout + tested.stderr);
  },
});
