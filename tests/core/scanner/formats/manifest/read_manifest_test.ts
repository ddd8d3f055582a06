import * as assert from "node:assert/strict";
import {
  bytesOf,
  failed,
  found,
  incompleteWords,
  matchesManifest,
  scanManifest,
} from "./manifest_scan.ts";

Deno.test("recognizes a manifest by its name or its content", () => {
  for (const name of ["a.json", "A.JSON", "a.yaml", "a.yml", "a.toml"]) {
    assert.ok(matchesManifest(name, ""));
  }
  for (
    const text of ['{"a": 1}', ' \n{ "a": 1}', "[1, 2]", '[{"a": 1}]', "{}", "%YAML 1.1\n---\na: b"]
  ) {
    assert.ok(matchesManifest("weights.bin", text), text);
  }
  for (const text of ["", "a", "{{ x }}", "{% if %}", "plain: text", "\0\0{", '{"a\0": 1}']) {
    assert.equal(matchesManifest("weights.bin", text), false, text);
  }
  for (const name of ["a.ipynb", "a.jsonl", "chat_template.jinja"]) {
    assert.equal(matchesManifest(name, '{"a": 1}'), false, name);
  }
});

Deno.test("reads UTF-16 with and without a byte order mark", () => {
  const text = '{"trust_remote_code": true}';
  const little = new Uint8Array(text.length * 2);
  for (let at = 0; at < text.length; at++) little[at * 2] = text.charCodeAt(at);
  const big = new Uint8Array([0xfe, 0xff, ...little.map((_, at) => little[at ^ 1] ?? 0)]);
  for (const bytes of [little, big, big.slice(2)]) {
    assert.deepEqual(found(scanManifest("c.json", bytes), "Remote Code"), ["warning"]);
  }
});

Deno.test("C 16 a manifest that cannot be read to its end is inconclusive", async (t) => {
  const rows: readonly (readonly [string, string, Uint8Array | string, string])[] = [
    ["UTF-32", "c.json", new Uint8Array([0, 0, 0xfe, 0xff, 0, 0, 0, 0x7b]), "utf_32"],
    [
      "UTF-32 without a mark",
      "c.yaml",
      new Uint8Array([...'{"_target_": "os.system"}'].flatMap((it) => [it.charCodeAt(0), 0, 0, 0])),
      "utf_32",
    ],
    ["a very long YAML", "c.yaml", new Uint8Array(17 * 2 ** 20).fill(0x0a), "text_too_large"],
  ];
  for (const [title, name, content, word] of rows) {
    await t.step(title, () => {
      const words = incompleteWords(scanManifest(name, content));
      assert.ok(words.includes(word), String(words));
    });
  }
});

Deno.test("positions are byte offsets, even after a byte order mark and multi-byte characters", () => {
  const text = '\ufeff{"ü": "é", "u": "https://bit.ly/x"}';
  const [link] = failed(scanManifest("c.json", text)).filter(({ name }) =>
    name === "Manifest Link"
  );
  assert.equal(link?.position, bytesOf(text.slice(0, text.indexOf('"https'))).length);
  const yaml = "ü: é\nu: https://bit.ly/x\n";
  const [other] = failed(scanManifest("c.yaml", yaml)).filter(({ name }) =>
    name === "Manifest Link"
  );
  assert.equal(other?.position, bytesOf(yaml.slice(0, yaml.indexOf("https"))).length);
});
