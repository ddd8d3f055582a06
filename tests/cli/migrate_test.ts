import * as assert from "node:assert/strict";
import { strongroom } from "../support/child_server.ts";
import { noise } from "../support/random.ts";
import { TestServer } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";

const LARGE = noise(300_000, 4);

Deno.test("C 23 strongroom migrate says what is wrong with its arguments", async (t) => {
  await using directory = await TempDir.make();
  const file = `${directory.path}/settings.env`;
  const refused = async (args: string[], expected: RegExp, code = 2) => {
    const result = await strongroom(["migrate", ...args]);
    assert.match(result.stderr, expected);
    assert.deepEqual([result.code, result.stdout], [code, ""]);
  };
  await t.step("both sides are named", async () => {
    await refused(["--from", directory.path], /Both --from and --to are required/);
    await refused(["--form", "x"], /Unknown option .*--from/);
  });
  for (
    const [text, expected] of [
      ["STRONGROOM_DATA_DIR", /Line 1 of ".*settings.env" is not of the form NAME=VALUE/],
      ["# none\n\nPATH=/bin", /settings.env" does not set STRONGROOM_DATA_DIR/],
      ["STRONGROOM_DATA_DIRR=x", /sets STRONGROOM_DATA_DIRR, .* mean STRONGROOM_DATA_DIR\?/],
      ["STRONGROOM_DATA_DIR=/x\nSTRONGROOM_DATABASE_URL=mysql://x", /STRONGROOM_DATABASE_URL/],
    ] as const
  ) {
    await t.step(`a file with ${JSON.stringify(text)}`, async () => {
      await Deno.writeTextFile(file, text);
      await refused(["--from", directory.path, "--to", file], expected);
    });
  }
  await t.step("the source is a strongroom", async () => {
    const [from, to] = [`${directory.path}/none`, `${directory.path}/target`];
    await refused(
      ["--from", from, "--to", to],
      /holds no strongroom.db: there is nothing to migrate/,
    );
    await assert.rejects(Deno.lstat(to), Deno.errors.NotFound);
  });
});

Deno.test("C 23 strongroom migrate ends with 1 if content of the source is damaged", async () => {
  await using directory = await TempDir.make();
  const [from, to] = [`${directory.path}/from`, `${directory.path}/to`];
  {
    await using server = await TestServer.start({ dataDir: from });
    assert.equal((await (await server.as(7)).upload("", { "large.bin": LARGE })).status, 200);
  }
  for await (const { path } of filesBelow(`${from}/blobs`)) await Deno.truncate(path, 1000);
  const { code, stdout, stderr } = await strongroom(["migrate", "--from", from, "--to", to]);
  assert.match(stderr, /The content [0-9a-f]{32} of "large.bin" of user 7 is damaged/);
  assert.match(stdout, /"\/.*\/to" is not whole: repair the source/);
  assert.equal(code, 1);
  const served = await strongroom(["serve"], { STRONGROOM_DATA_DIR: to, STRONGROOM_PORT: "0" });
  assert.match(served.stderr, /A strongroom is being migrated to ".*", or that was interrupted/);
});

async function* filesBelow(directory: string): AsyncGenerator<{ path: string }> {
  for await (const { name, isDirectory } of Deno.readDir(directory)) {
    if (isDirectory) yield* filesBelow(`${directory}/${name}`);
    else yield { path: `${directory}/${name}` };
  }
}
