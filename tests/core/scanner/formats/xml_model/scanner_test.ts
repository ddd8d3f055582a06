import * as assert from "node:assert/strict";
import type { Check } from "../../../../../core/scanner/contract/scanner.ts";
import type { Severity } from "../../../../../core/scanner/contract/severity.ts";
import { xmlModelScanner } from "../../../../../core/scanner/formats/xml_model/scanner.ts";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { RecordingContext } from "../../recording_context.ts";

const file = (name: string, text: string | Uint8Array) => ({
  name,
  source: memorySource(typeof text === "string" ? new TextEncoder().encode(text) : text),
  depth: 0,
});

function scan(name: string, text: string | Uint8Array): Check[] {
  const context = new RecordingContext();
  const checks = [...xmlModelScanner.scan(file(name, text), context)];
  assert.deepEqual(context.members, []);
  return checks;
}

const failed = (checks: readonly Check[]) => checks.filter(({ status }) => status === "failed");

const OPENVINO = `<?xml version="1.0"?>
<net name="Model0" version="11">
  <layers>
    <layer id="0" name="x" type="Parameter" version="opset1">
      <data shape="?,3,224,224" element_type="f32"/>
      <output><port id="0" precision="FP32"><dim>-1</dim></port></output>
    </layer>
    <layer id="1" name="c" type="Const" version="opset1"><data offset="0" size="64"/></layer>
  </layers>
  <edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/></edges>
  <rt_info><framework value="pytorch"/><is_python_object value="True"/></rt_info>
</net>`;

const PMML = `<?xml version="1.0" encoding="UTF-8"?>
<PMML version="4.4" xmlns="http://www.dmg.org/PMML-4_4" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <Header copyright="x"><Application name="sklearn2pmml" version="0.9"/></Header>
  <DataDictionary><DataField name="&lt;x&gt;" optype="continuous" dataType="double"/></DataDictionary>
  <!-- DOCTYPE and ENTITY are only words -->
  <Extension name="note"><![CDATA[<!DOCTYPE x>]]></Extension>
</PMML>`;

Deno.test("C 16 OpenVINO and PMML models are clean", () => {
  const benign: readonly (readonly [string, string])[] = [
    ["openvino_model.xml", OPENVINO],
    ["model.pmml", PMML],
    ["empty.xml", ""],
    [
      "list.xml",
      '<?xml version="1.0"?><!DOCTYPE plist PUBLIC "-//X//DTD" "http://example.org/x.dtd"><plist/>',
    ],
  ];
  for (const [name, text] of benign) {
    const bad = failed(scan(name, text)).filter(({ severity, incomplete }) =>
      severity === "critical" || severity === "warning" || incomplete !== undefined
    );
    assert.deepEqual(bad, [], name);
    assert.ok(scan(name, text).some(({ status }) => status === "passed"), name);
  }
});

const ROWS: readonly (readonly [string, string, string, string, Severity])[] = [
  [
    "a document type",
    "m.pmml",
    '<!DOCTYPE PMML SYSTEM "http://x/y"><PMML/>',
    "XML Entity",
    "critical",
  ],
  [
    "a document type before a model, by content",
    "m.xml",
    "<!DOCTYPE net><net/>",
    "XML Entity",
    "critical",
  ],
  [
    "an entity",
    "m.xml",
    '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>',
    "XML Entity",
    "critical",
  ],
  [
    "an entity with a bracket in its value",
    "m.xml",
    '<!DOCTYPE x [<!ENTITY a "]>"><!ENTITY b "c">]><x/>',
    "XML Entity",
    "critical",
  ],
  [
    "a parameter entity in lower case",
    "m.xml",
    '<!doctype x [<!entity % p "q">]><x/>',
    "XML Entity",
    "critical",
  ],
  ["an element declaration", "m.pmml", "<!ELEMENT a ANY><PMML/>", "XML Entity", "warning"],
  [
    "a library of a layer",
    "m.xml",
    '<net><layer library="/tmp/x.so"/></net>',
    "Custom Layer",
    "critical",
  ],
  [
    "an implementation",
    "m.xml",
    "<net><layer><data implementation='a.b'/></layer></net>",
    "Custom Layer",
    "critical",
  ],
  ["a Python layer", "m.xml", '<net><layer type="PythonOp"/></net>', "Custom Layer", "critical"],
  [
    "an attribute in character references",
    "m.xml",
    '<net><layer type="&#80;&#x79;thon"/></net>',
    "Custom Layer",
    "critical",
  ],
  [
    "code in an extension",
    "m.pmml",
    "<PMML><Extension>os.system('id')</Extension></PMML>",
    "Script Text",
    "warning",
  ],
  [
    "code in an attribute",
    "m.pmml",
    '<PMML><Extension value="eval(x)"/></PMML>',
    "Script Text",
    "warning",
  ],
  [
    "code in character references",
    "m.pmml",
    "<PMML><Extension>e&#118;al(x)</Extension></PMML>",
    "Script Text",
    "warning",
  ],
  [
    "code in CDATA",
    "m.pmml",
    "<PMML><Extension><![CDATA[<script>x</script>]]></Extension></PMML>",
    "Script Text",
    "warning",
  ],
  ["a script element", "m.pmml", "<PMML><script>x</script></PMML>", "Script Text", "critical"],
  [
    "an inclusion",
    "m.xml",
    '<net><xi:include href="file:///etc/passwd"/></net>',
    "XML Reference",
    "critical",
  ],
  ["a style sheet", "m.xml", '<?xml-stylesheet href="x.xsl"?><net/>', "XML Reference", "warning"],
  [
    "an address",
    "m.pmml",
    '<PMML><Extension value="http://203.0.113.7/x"/></PMML>',
    "XML Reference",
    "warning",
  ],
  [
    "another encoding",
    "m.xml",
    '<?xml version="1.0" encoding="UTF-7"?><net/>',
    "XML Structure",
    "warning",
  ],
  [
    "a credential",
    "m.xml",
    `<net><meta token="ghp_${"a8Kd02mfLqPz71xVbN45cTyWe9RuIo3sGhJk"}"/></net>`,
    "Credential",
    "critical",
  ],
];

Deno.test("scanning 2.11: reports what a model in XML hides", async (t) => {
  for (const [title, name, text, check, severity] of ROWS) {
    await t.step(title, () => {
      const severities = failed(scan(name, text)).filter((each) => each.name === check).map((
        { severity },
      ) => severity);
      assert.ok(severities.includes(severity), JSON.stringify(scan(name, text)));
    });
  }
  await t.step("an entity in UTF-16", () => {
    const text = '\ufeff<!DOCTYPE x [<!ENTITY e "f">]><x/>';
    const bytes = new Uint8Array(
      [...text].flatMap((each) => [each.charCodeAt(0) & 255, each.charCodeAt(0) >> 8]),
    );
    assert.ok(failed(scan("m.xml", bytes)).some(({ severity }) => severity === "critical"));
  });
});

Deno.test("C 16 XML that is not read to its end is inconclusive", () => {
  const rows: readonly (readonly [string, string])[] = [
    ["<net", "malformed_xml"],
    ["<net><!-- ", "malformed_xml"],
    ["<net><![CDATA[", "malformed_xml"],
    ['<net a="', "malformed_xml"],
    ["no XML", "malformed_xml"],
    [`<net a="${"x".repeat(2_000_000)}"/>`, "markup_too_long"],
  ];
  for (const [text, word] of rows) {
    const words = failed(scan("m.xml", text)).map(({ incomplete }) => incomplete);
    assert.ok(words.includes(word), text.slice(0, 40));
  }
});

Deno.test("finds code after a long text", () => {
  const text = `<PMML><Extension>${
    "x ".repeat(800_000)
  }</Extension><Extension>os.system</Extension></PMML>`;
  assert.ok(failed(scan("m.pmml", text)).some(({ name }) => name === "Script Text"));
  const within = `<PMML><![CDATA[${"x ".repeat(800_000)} subprocess ]]></PMML>`;
  assert.ok(failed(scan("m.pmml", within)).some(({ name }) => name === "Script Text"));
});

Deno.test("recognizes models in XML by name or content", () => {
  const matches = (name: string, text: string) => xmlModelScanner.matches(file(name, text));
  assert.ok(matches("a.xml", "") && matches("A.PMML", ""));
  assert.ok(matches("model.bin", '<?xml version="1.0"?><x/>') && matches("m", " <net name='a'>"));
  assert.equal(matches("a.svg", "<?xml?><svg/>"), false);
  assert.equal(matches("a.txt", "<p>net</p>"), false);
});

Deno.test("mutated XML never throws, and no message is long", () => {
  let state = 42;
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  const seeds = [OPENVINO, PMML, ...ROWS.map(([, , text]) => text)];
  for (let round = 0; round < 3000; round++) {
    const text = seeds[Math.floor(next() * seeds.length)] ?? "";
    const at = Math.floor(next() * text.length);
    const piece = next() < 0.5
      ? String.fromCharCode(Math.floor(next() * 256))
      : "<![\"'>&]-?".charAt(Math.floor(next() * 10));
    const mutant = text.slice(0, at) + piece + text.slice(at + Math.floor(next() * 4));
    for (const check of scan("m.xml", mutant)) {
      assert.equal(check.severity !== undefined, check.status === "failed");
      assert.ok(check.message.length < 300);
    }
  }
});

Deno.test("C 16 references in attributes are resolved once, after the text is decoded", () => {
  const links = (xml: string) =>
    failed(scan("model.xml", xml)).filter(({ name }) => name === "XML Reference");
  const written = links('<net a="https://аpple.com/x"/>');
  const referenced = links('<net a="https://&#x430;pple.com/x"/>');
  assert.equal(written.length, 1);
  assert.deepEqual(
    referenced.map(({ severity, message }) => [severity, message]),
    written.map(({ severity, message }) => [severity, message]),
  );
  const twice = '<net><layer type="a" library="&amp;#80;y"/></net>';
  const [layer] = failed(scan("model.xml", twice));
  assert.match(layer?.message ?? "", /library="&#80;y"/);
});
