import * as assert from "node:assert/strict";
import { AppError } from "../../../core/errors.ts";
import { escapeXml, writeXml } from "../../../routes/reply/xml.ts";
import { elementsOf, parseXml, textOf } from "../../../routes/request/xml.ts";

const parse = (text: string) => parseXml(new TextEncoder().encode(text));

Deno.test("C 30: the names of an XML document have their namespaces", async () => {
  const root = await parse(
    `<?xml version="1.0"?><D:a xmlns:D="DAV:" xmlns="other:"><!-- no --><b D:c="1 &amp; 2" d="é"/>` +
      `<D:e xml:lang="en">x &lt;&#10;<![CDATA[<y>]]></D:e></D:a>`,
  );
  assert.deepEqual([root.namespace, root.name, root.attributes], ["DAV:", "a", []]);
  const [b, e] = elementsOf(root);
  assert.deepEqual(b, {
    name: "b",
    namespace: "other:",
    attributes: [
      { name: "c", namespace: "DAV:", value: "1 & 2" },
      { name: "d", namespace: "", value: "é" },
    ],
    children: [],
  });
  assert.ok(e !== undefined);
  assert.equal(textOf(e), "x <\n<y>");
  assert.deepEqual(await parse(writeXml(root)), {
    ...root,
    children: [b, { ...e, children: ["x <\n<y>"] }],
  });
});

Deno.test("C 30: a document that is not well-formed, has a document type, or is too much, is refused", async () => {
  const refused: readonly (readonly [string, RegExp])[] = [
    ["", /has no element|document must contain a root element/],
    ["text", /valid XML/],
    ["<a>", /unclosed tag/],
    ["<a></b>", /valid XML/],
    ["<a/><b/>", /valid XML/],
    ["<a b='1' b='2'/>", /duplicate attribute/],
    ["<a>&unknown;</a>", /undefined entity/],
    ["<a>\0</a>", /disallowed character/],
    ["<a>&#0;</a>", /valid XML/],
    ["<D:a/>", /unbound namespace prefix/],
    ['<D:a xmlns:D=""/>', /valid XML/],
    ["<!DOCTYPE a><a/>", /a document type is not allowed/],
    ['<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', /a document type is not allowed/],
    ["<a>".repeat(65) + "</a>".repeat(65), /nested deeper than 64/],
    [`<a>${"<b/>".repeat(100_001)}</a>`, /more than 100000 elements/],
    [`<a ${Array.from({ length: 100_001 }, (_, it) => `b${it}=""`).join(" ")}/>`, /more than/],
  ];
  for (const [text, message] of refused) {
    await assert.rejects(() => parse(text), (error) => {
      assert.ok(error instanceof AppError, `${text.slice(0, 100)}: ${error}`);
      assert.match(error.message, message);
      return true;
    });
  }
  await assert.rejects(() => parseXml(Uint8Array.of(0x3c, 0x61, 0xff, 0x2f, 0x3e)), /not UTF-8/);
});

Deno.test("C 30: attributes and elements with the names of properties of objects are only names", async () => {
  const root = await parse("<__proto__ constructor='1' __proto__='2'><toString/></__proto__>");
  assert.deepEqual(root.attributes.map(({ name, value }) => [name, value]), [
    ["constructor", "1"],
    ["__proto__", "2"],
  ]);
  assert.equal(elementsOf(root)[0]?.name, "toString");
});

Deno.test("C 30: any text can be written into an XML document", async () => {
  const text = '<a b="c">&amp;\r\n\t]]>\u{1f600}é';
  assert.equal(textOf(await parse(`<a>${escapeXml(text)}</a>`)), text);
  assert.equal((await parse(`<a b="${escapeXml(text)}"/>`)).attributes[0]?.value, text);
  assert.equal(
    textOf(await parse(`<a>${escapeXml("\0\x1b\ud800\uffff")}</a>`)),
    "\ufffd".repeat(4),
  );
});
