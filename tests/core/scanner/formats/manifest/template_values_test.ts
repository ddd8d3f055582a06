import * as assert from "node:assert/strict";
import { failed, found, scanManifest } from "./manifest_scan.ts";

Deno.test("evasion 63: checks templates as the loader sees them", async (t) => {
  const hostile = "{{ x['__cla'~'ss__'] }}";
  const escaped = "{{ x|attr('\\x5f\\x5fclass\\x5f\\x5f') }}";
  const rows: readonly (readonly [string, string, string, string])[] = [
    ["a string", "tokenizer_config.json", JSON.stringify({ chat_template: hostile }), hostile],
    [
      "the list form",
      "tokenizer_config.json",
      JSON.stringify({ chat_template: [{ name: "default", template: escaped }] }),
      escaped,
    ],
    [
      "a key that names a template",
      "c.json",
      JSON.stringify({ prompt_template: "{{ 1 }}" }),
      "{{ 1 }}",
    ],
    ["a map of names", "c.json", JSON.stringify({ chat_template: { tool_use: hostile } }), hostile],
    ["any other key", "c.json", JSON.stringify({ description: hostile }), hostile],
    [
      "a statement under any key",
      "c.json",
      JSON.stringify({ a: ["{%- if x %}y{% endif %}"] }),
      "{%- if x %}y{% endif %}",
    ],
    [
      "escapes of JSON",
      "c.json",
      '{"chat_template": "\\u007b\\u007b x \\u007d\\u007d"}',
      "{{ x }}",
    ],
    ["a repeated key", "c.json", `{"chat_template": "${hostile}", "chat_template": "x"}`, hostile],
    ["broken JSON (evasion 59)", "c.json", `{"chat_template": "${hostile}",}`, hostile],
    ["YAML", "c.yaml", `chat_template: "${hostile}"`, hostile],
    [
      "a folded scalar of YAML",
      "c.yaml",
      "chat_template: >-\n  {{ x['__cla'\n  ~'ss__'] }}\n",
      "{{ x['__cla' ~'ss__'] }}",
    ],
    [
      "a plain scalar of YAML",
      "c.yaml",
      "chat_template: a {{ x['__cla'\n  ~'ss__'] }}\n",
      "a {{ x['__cla' ~'ss__'] }}",
    ],
    [
      "a block of YAML with an indentation indicator (evasion 70)",
      "c.yaml",
      `chat_template: |1-\n      {# x #}\n ${hostile}\n`,
      `     {# x #}\n${hostile}`,
    ],
    [
      "an alias of YAML (evasion 71)",
      "c.yaml",
      `a: &a "{{ 1 }}${"y".repeat(5000)}"\nchat_template: *a\n`,
      `{{ 1 }}${"y".repeat(5000)}`,
    ],
    ["TOML", "c.toml", `chat_template = """\n${hostile}"""\n`, `\n${hostile}`],
  ];
  for (const [title, name, text, template] of rows) {
    await t.step(title, () => assert.deepEqual(scanManifest(name, text).templates, [template]));
  }
  await t.step("reports what the template checker finds", () => {
    const outcome = scanManifest("tokenizer_config.json", '{"chat_template": "{{ x.__class__ }}"}');
    assert.deepEqual(found(outcome, "Chat Template"), ["critical"]);
  });
});

Deno.test("C 16 a malformed template is inconclusive only under a key that names templates", () => {
  const words = (text: string) =>
    failed(scanManifest("c.json", text)).map(({ incomplete }) => incomplete);
  assert.deepEqual(words('{"chat_template": "{% end %}"}'), ["template_malformed"]);
  assert.deepEqual(words('{"description": "{% end %}"}'), []);
});
