import * as assert from "node:assert/strict";
import { readXml, resolveReferences } from "../../../../../core/scanner/readers/xml/read_xml.ts";

Deno.test("readXml() splits a document into tokens with positions", () => {
  const text = `<?xml version="1.0"?><a b='>' c="&lt;">x<!-- y --><![CDATA[<z>]]></a>`;
  assert.deepEqual([...readXml(text)], [
    { kind: "instruction", name: "xml", text: 'xml version="1.0"', position: 0 },
    { kind: "element", name: "a", attributes: [["b", ">"], ["c", "&lt;"]], position: 21 },
    { kind: "text", text: "x", position: 39 },
    { kind: "comment", text: " y ", position: 40 },
    { kind: "text", text: "<z>", position: 50 },
    { kind: "end", text: "a", position: 65 },
  ]);
});

Deno.test("readXml() yields the declarations of an internal subset", () => {
  const text = `<!doctype x [<!ENTITY e "]>"><!ENTITY f "g">]><x/>`;
  const names = Array.from(readXml(text)).flatMap((it) => it.kind === "declaration" ? it.name : []);
  assert.deepEqual(names, ["DOCTYPE", "ENTITY", "ENTITY"]);
});

Deno.test("readXml() stops at unclosed markup and cuts long markup", () => {
  for (const text of ["<a", "<a b='>", "<!-- -", "<![CDATA[ ]]", "<?a ?", "<!b"]) {
    assert.deepEqual([...readXml(text)], [{ kind: "broken", position: 0 }], text);
  }
  const kinds = Array.from(readXml(`<a b="${"x".repeat(2 ** 20)}"/>`), ({ kind }) => kind);
  assert.deepEqual(kinds, ["element", "cut"]);
});

Deno.test("readXml() yields a long text in pieces", () => {
  const text = "x".repeat(2 ** 20 + 5);
  for (const document of [text, `<![CDATA[${text}]]>`, `<!--${text}-->`]) {
    const pieces = Array.from(readXml(document), (it) => "text" in it ? it.text : "");
    // The last piece of a section or comment includes its end.
    assert.ok(pieces.length > 1 && pieces.join("").replace(/]]>$|-->$/, "") === text);
  }
});

Deno.test("resolveReferences() replaces character references and predefined entities", () => {
  assert.equal(resolveReferences("&#80;&#x79;&lt;&amp;&quot;&apos;&gt;"), "Py<&\"'>");
  assert.equal(resolveReferences("&unknown; &#x110000; & &#;"), "&unknown; \ufffd & &#;");
});
