import * as assert from "node:assert/strict";
import { binbytes, binunicode, bytes } from "./pickle_bytes.ts";
import { P4, PAYLOAD } from "./pickle_parts.ts";
import { scan } from "./scan_pickle.ts";

Deno.test("C 16: reports pickles that are nested too deeply", () => {
  let content = bytes(P4, PAYLOAD);
  for (let level = 0; level < 8; level++) content = bytes(P4, binbytes(content), ".");
  const { failed } = scan(content);
  assert.ok(failed.some(({ incomplete }) => incomplete === "nested_depth"), JSON.stringify(failed));
});

Deno.test("C 16: reports a nested pickle with more instructions than the limit", () => {
  const inner = bytes(P4, "(", "N".repeat(200), "t.");
  const { failed } = scan(bytes(P4, binbytes(inner), "."), { limits: { maxOpcodes: 100 } });
  assert.deepEqual(failed.map(({ incomplete }) => incomplete), ["nested_opcodes"]);
});

Deno.test("evasion 28: white space, other alphabets and later characters hide no encoded pickle", async (t) => {
  const inner = bytes(P4, "(", "K\x01".repeat(30), "t0", PAYLOAD);
  const hex = inner.toHex();
  const texts: Readonly<Record<string, string>> = {
    "hex with spaces": hex.replaceAll(/../g, "$& "),
    "hex in lines": hex.replaceAll(/.{20}/g, "$&\n"),
    "base64 with spaces": inner.toBase64().replaceAll(/.{20}/g, "$& "),
    "base64 for URLs": inner.toBase64({ alphabet: "base64url" }),
  };
  for (const [title, text] of Object.entries(texts)) {
    await t.step(title, () => {
      const { verdict, failed } = scan(bytes(P4, binunicode(text), "."));
      assert.equal(verdict, "C", JSON.stringify(failed));
    });
  }
  await t.step("text with characters outside of Latin-1 after the pickle", () => {
    const text = `${String.fromCharCode(...inner)}\u4e2d`;
    assert.equal(scan(bytes(P4, binunicode(text), ".")).verdict, "C");
  });
});
