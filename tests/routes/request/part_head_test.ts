import * as assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { dispositionOf } from "../../../routes/request/part_head.ts";
import { ROOT } from "../../support/child_server.ts";
import { runWithin } from "../../support/tools.ts";

function headOf(disposition: string): string {
  return `\r\nContent-Disposition: ${disposition}`;
}

Deno.test("C 4 a file name is read only from a well-formed header", () => {
  const readable: readonly (readonly [string, string | undefined])[] = [
    ['form-data; name="files"; filename="a.bin"', "a.bin"],
    ['form-data; filename = "a b" ; name=files;', "a b"],
    ["form-data; name=files; filename=", ""],
    ['form-data; name="files"', undefined],
  ];
  for (const [value, filename] of readable) {
    assert.equal(dispositionOf(headOf(value)).filename, filename, value);
  }
  const unreadable = [
    'form-data; name="files"; filename="a"b"',
    'form-data; name="files"; filename="a',
    "form-data; name=files; filename=a b",
    'form-data; name="files"; filename="a"; =b',
    'form-data; name="files";; filename="a"',
  ];
  for (const value of unreadable) {
    assert.equal(dispositionOf(headOf(value)).filename, '"', value);
  }
});

Deno.test("C 6 reads a header with many empty parameters in linear time", async () => {
  const value = `form-data; name="files"; filename="x"${"; a= ".repeat(60)}"`;
  const code = `import { dispositionOf } from "${
    pathToFileURL(`${ROOT}routes/request/part_head.ts`)
  }";
    console.log(dispositionOf(${JSON.stringify(headOf(value))}).filename);`;
  // In a child process, which is killed if it never returns.
  const { code: status, stdout, stderr } = await runWithin(30, Deno.execPath(), [
    "eval",
    code,
  ]);
  assert.equal(status, 0, stderr);
  assert.equal(stdout, '"\n');
});
