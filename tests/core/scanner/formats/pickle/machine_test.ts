import * as assert from "node:assert/strict";
import { joblibFile, ZONE } from "./ordinary_pickles.ts";
import { bytes, gl, s8, short } from "./pickle_bytes.ts";
import { P2, P4, T1, T2 } from "./pickle_parts.ts";
import { scan } from "./scan_pickle.ts";

Deno.test("C 16: getattr of a time zone is critical if array data calls it too", () => {
  const hidden = bytes("h\x07)", s8("x"), T2, "R.");
  const file = joblibFile(hidden, { type: "u1", count: hidden.length });
  assert.equal(scan(bytes(P4, ZONE, "0", file.subarray(2))).verdict, "C");
  const plain = joblibFile(new Uint8Array(9), { type: "u1", count: 9 });
  assert.equal(scan(bytes(P4, ZONE, "0", plain.subarray(2))).verdict, "OK");
});

Deno.test("C 16: getattr is harmless only for time zones", async (t) => {
  const rows: [string, Uint8Array][] = [
    ["another attribute", bytes("h\x07", gl("collections", "OrderedDict"), short("copy"), T2, "R")],
    ["an attribute of an object that is not a class", bytes("h\x07)", short("_unpickle"), T2, "R")],
    ["the function itself", bytes("h\x07")],
    ["the function in a copy", bytes("h\x072h\x08", short("_unpickle"), T2, "R")],
    ["the function as an argument", bytes(gl("acme", "run"), "h\x07", T1, "R")],
    [
      "the function as an id",
      bytes(short("module"), "h\x07", T2, "q\x09Qh\x08", short("_unpickle"), T2, "R"),
    ],
    [
      "the function within a call of the next pickle",
      bytes("0.", P2, "(h\x07)", short("x"), T2, "R"),
    ],
  ];
  for (const [title, rest] of rows) {
    await t.step(title, () => {
      const content = bytes(P2, "(", ZONE, rest, "t.");
      assert.equal(scan(content).verdict, "C");
    });
  }
});
