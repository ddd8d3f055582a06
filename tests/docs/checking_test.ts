import * as assert from "node:assert/strict";
import { FINDING_KINDS } from "../../storage/upkeep/check/findings.ts";
import { ROOT, strongroom } from "../support/child_server.ts";
import { TestServer } from "../support/server.ts";
import { guideTest } from "./guide.ts";

guideTest("docs/guides/checking.md", { serves: false });

Deno.test("docs/guides/checking.md describes every finding, and every field of the JSON document", async () => {
  const text = await Deno.readTextFile(`${ROOT}docs/guides/checking.md`);
  for (const kind of FINDING_KINDS) assert.match(text, new RegExp(`^\\| \`${kind}\` `, "m"));
  await using server = await TestServer.start();
  const { code, stdout } = await strongroom(["check", "--json"], {
    STRONGROOM_DATA_DIR: server.dataDir,
  });
  assert.equal(code, 0);
  const fields = Object.keys(JSON.parse(stdout));
  assert.ok(fields.length > 8);
  for (const field of fields) {
    assert.match(text, new RegExp(`^\\| .*\`${field}\`.* \\| `, "m"), field);
  }
});
