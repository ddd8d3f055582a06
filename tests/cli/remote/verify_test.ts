import * as assert from "node:assert/strict";
import { SignatureEntry } from "../../../schemas/signatures.ts";
import * as v from "valibot";
import { writeFolder } from "../../support/folders.ts";
import { RemoteClient } from "../../support/remote_client.ts";
import { TestServer } from "../../support/server.ts";
import { signatureFile, SIGNED_MODEL, trusted } from "../../support/signatures.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("C 29 verify prints whose signature a directory has, and what is not as it was signed", async () => {
  await using server = await TestServer.start({ signers: await trusted() });
  await using directory = await TempDir.make();
  const bundle = await signatureFile("certificate.sig");
  await writeFolder(`${directory.path}/m`, { ...SIGNED_MODEL, "model.sig": bundle });
  const client = await RemoteClient.of(server, directory.path);
  const run = (...args: string[]) => client.run(args, { cwd: directory.path, narrow: false });
  assert.equal((await run("put", "m", ":")).code, 0);
  const verify = async (...args: string[]) => {
    const { code, stdout, stderr } = await run("verify", ...args);
    return [code, stdout, stderr];
  };
  const signed = "signed by staff (release@example.com)";
  const leftOut = "the signer has left out 1 of its files";
  assert.deepEqual(await verify("m"), [0, `m/: ${signed}; ${leftOut}\n`, ""]);
  assert.deepEqual(await verify("m/config.json"), [0, `m/config.json: ${signed}\n`, ""]);
  assert.match((await run("stat", "m/config.json")).stdout, /^Signature {2}signed by staff/m);
  await writeFolder(`${directory.path}/changed`, {
    ...{ "config.json": "{}", "evil.py": "x", "model.sig": bundle },
  });
  assert.equal((await run("put", "changed", ":")).code, 0);
  assert.deepEqual(await verify("changed"), [
    1,
    'changed/: invalid: "changed/config.json" and 2 more are not as they were signed\n' +
    "  changed  changed/config.json\n" +
    "  added    changed/evil.py\n" +
    "  missing  changed/weights/model.bin\n",
    "",
  ]);
  const json = await run("verify", "--json", "changed");
  const entry = v.parse(SignatureEntry, JSON.parse(json.stdout));
  assert.deepEqual([json.code, entry.signature.state, entry.problems.length], [1, "invalid", 3]);
  await writeFolder(directory.path, { "plain.txt": "x" });
  assert.equal((await run("put", "plain.txt", ":")).code, 0);
  assert.deepEqual(await verify("plain.txt"), [1, "plain.txt: unsigned\n", ""]);
  assert.equal((await verify("nothing"))[0], 2);
});
