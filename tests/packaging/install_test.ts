import * as assert from "node:assert/strict";
import { ROOT } from "../support/child_server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram, run } from "../support/tools.ts";

/** Takes from root what lets it write anywhere. */
const ORDINARY = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] as const;

const isRoot = Deno.uid() === 0;

Deno.test({
  name: "C 25 install says what to do where the user may not write to npm's prefix",
  ignore: !await hasProgram("npm", "--version") ||
    (isRoot && !await hasProgram(...ORDINARY, "true")),
  async fn() {
    await using directory = await TempDir.make();
    const prefix = `${directory.path}/prefix`;
    await Deno.mkdir(prefix, { mode: 0o555 });
    const [program = "", ...args] = [
      ...isRoot ? ORDINARY : [],
      ...[Deno.execPath(), "task", "-q", "install"],
    ];
    const { code, stdout, stderr } = await run(program, args, {
      cwd: ROOT,
      env: { npm_config_prefix: prefix },
    });
    assert.deepEqual([code, stdout], [1, ""], stderr);
    assert.match(
      stderr,
      /^Cannot install the command strongroom: you may not write to .+\/prefix\b/,
    );
    assert.match(stderr, /^ {2}npm config set prefix ~\/\.local$/m);
    assert.match(stderr, /^ {2}export PATH=".+\/packaging:\$PATH"$/m);
  },
});
