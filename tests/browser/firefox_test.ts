import * as assert from "node:assert/strict";
import { ROOT } from "../support/child_server.ts";
import { run } from "../support/tools.ts";
import { HAS_FIREFOX } from "./firefox.ts";

/** One test each of people, places and keys. `deno task test:firefox` has all. */
const SHORT = "/an open question of a person|parent is moved, stays open|keys go on in the folder/";

Deno.test({
  name: "C 24 in Firefox, too, nothing of another person stays, places follow, and keys go on",
  ignore: !HAS_FIREFOX,
  async fn() {
    const files = ["sessions", "places", "keyboard"].map((it) => `tests/browser/${it}_test.ts`);
    const { code, stdout, stderr } = await run(
      Deno.execPath(),
      ["test", "-A", "--no-check", "--filter", SHORT, ...files],
      { cwd: ROOT, env: { TEST_BROWSER: "firefox", NO_COLOR: "1" } },
    );
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /3 passed .* 0 failed/);
  },
});
