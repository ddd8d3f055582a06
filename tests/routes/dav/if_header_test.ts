import * as assert from "node:assert/strict";
import { AppError } from "../../../core/errors.ts";
import { parseIf, tokensIn } from "../../../routes/dav/if_header.ts";

Deno.test("C 30 the header If has lists of conditions, for addresses or none", () => {
  const token = (value: string, isNegated = false) => ({ kind: "token", value, isNegated });
  const etag = (value: string, isNegated = false) => ({ kind: "etag", value, isNegated });
  assert.deepEqual(parseIf(`(<urn:a> ["x y"])(Not <urn:b>)`), [
    { conditions: [token("urn:a"), etag('"x y"')] },
    { conditions: [token("urn:b", true)] },
  ]);
  assert.deepEqual(parseIf(` </dav/a> ( <urn:a> ) ([W/"x"]) <http://h/b> (not["y"])  `), [
    { address: "/dav/a", conditions: [token("urn:a")] },
    { address: "/dav/a", conditions: [etag('W/"x"')] },
    { address: "http://h/b", conditions: [etag('"y"', true)] },
  ]);
  assert.deepEqual([...tokensIn(parseIf("(<urn:a>) (Not <urn:b>)"))], ["urn:a", "urn:b"]);
});

Deno.test("C 30 a malformed If header is refused, however long", () => {
  const wrong = [
    "",
    "()",
    "(<a>",
    "<a>",
    "(<a>))",
    "((<a>))",
    "(Not)",
    "(Not Not <a>)",
    "(a)",
    "x",
  ];
  for (const header of [...wrong, `${"(<a>)".repeat(10_000)}(`, " ".repeat(100_000)]) {
    assert.throws(() => parseIf(header), AppError, header.slice(0, 20));
  }
});
