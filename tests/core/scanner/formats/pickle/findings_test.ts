import * as assert from "node:assert/strict";
import { bytes, gl } from "./pickle_bytes.ts";
import { scan } from "./scan_pickle.ts";

const severityOf = (module: string, name: string) => {
  const { failed } = scan(bytes("](", gl(module, name), "e."));
  return failed[0]?.severity;
};

Deno.test("evasion 86: an import that is not called runs its module", () => {
  for (
    const module of [
      "acme.models",
      "mypackage.__main__",
      "numpy.__main__",
      "scipy.tests.x",
      "models",
    ]
  ) {
    assert.equal(severityOf(module, "x"), "warning", module);
  }
  for (const module of ["scipy.signal", "math", "__main__", "__builtin__", "collections.abc"]) {
    assert.equal(severityOf(module, "x"), "info", module);
  }
});
