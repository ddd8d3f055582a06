import * as assert from "node:assert/strict";
import { hasProgram } from "../support/tools.ts";
import { HAS_BROWSER, IS_FIREFOX } from "./browser.ts";
import { foundTeam } from "./first_team.ts";

Deno.test({
  name:
    "C 27 from an empty directory to a team: the first link, passkeys, a second person, a shared tree, its machine",
  // Firefox has no authenticator for tests.
  ignore: !HAS_BROWSER || IS_FIREFOX || !await hasProgram("script", "--version"),
  async fn() {
    const steps: string[] = [];
    await foundTeam({}, (_page, title) => Promise.resolve(void steps.push(title)));
    assert.deepEqual(steps, [
      ...["first-link", "signed-in", "invite", "invitation", "shared"],
      ...["second-link", "second-person", "approve", "logged-in"],
    ]);
  },
});
