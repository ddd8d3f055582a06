import * as assert from "node:assert/strict";
import { writeFolder } from "../support/folders.ts";
import { RemoteClient } from "../support/remote_client.ts";
import { TestServer } from "../support/server.ts";
import { signersOf } from "../support/signatures.ts";
import { TempDir } from "../support/temp_dir.ts";
import { pythonWith, run } from "../support/tools.ts";

const python = await pythonWith("model_signing");

/** Makes a key of a curve. */
const KEY = `
import sys
from cryptography.hazmat.primitives import serialization as s
from cryptography.hazmat.primitives.asymmetric import ec
key = ec.generate_private_key(getattr(ec, sys.argv[1])())
open("key.pem", "wb").write(
    key.private_bytes(s.Encoding.PEM, s.PrivateFormat.PKCS8, s.NoEncryption()))
open("key.pub", "wb").write(
    key.public_key().public_bytes(s.Encoding.PEM, s.PublicFormat.SubjectPublicKeyInfo))
`;

for (const curve of ["SECP256R1", "SECP384R1", "SECP521R1"]) {
  Deno.test({
    name:
      `C 29 what model_signing signs with a key of ${curve} is signed here, and what is had is so there`,
    ignore: python === undefined,
    async fn() {
      await using directory = await TempDir.make();
      const { path: cwd } = directory;
      const signing = async (...args: string[]) => {
        const { code, stdout, stderr } = await run(python ?? "", args, { cwd });
        return { code, output: stdout + stderr };
      };
      await writeFolder(`${cwd}/model`, { "config.json": "{}", "ünicode/a b.bin": "weights" });
      assert.equal((await signing("-c", KEY, curve)).code, 0);
      const module = ["-m", "model_signing"];
      const sign = ["sign", "key", "--private_key", "key.pem", "--signature", "model/model.sig"];
      const signed = await signing(...module, ...sign, "model");
      assert.equal(signed.code, 0, signed.output);
      const key = await Deno.readTextFile(`${cwd}/key.pub`);
      await using server = await TestServer.start({ signers: signersOf({ release: { key } }) });
      const client = await RemoteClient.of(server, cwd);
      const strongroom = (...args: string[]) => client.run(args, { cwd, narrow: false });
      assert.equal((await strongroom("put", "model", ":")).code, 0);
      assert.equal((await strongroom("verify", "model")).stdout, "model/: signed by release\n");
      assert.equal((await strongroom("get", "model", "got")).code, 0);
      const verify = ["verify", "key", "--public_key", "key.pub"];
      const verified = await signing(
        ...module,
        ...verify,
        "--signature",
        "got/model/model.sig",
        "got/model",
      );
      assert.equal(verified.code, 0, verified.output);
      // Both refuse the same change.
      await writeFolder(`${cwd}/got/model`, { "added.py": "x" });
      assert.notEqual(
        (await signing(...module, ...verify, "--signature", "got/model/model.sig", "got/model"))
          .code,
        0,
      );
      assert.equal((await strongroom("put", "got/model/added.py", "model")).code, 0);
      assert.equal((await strongroom("verify", "model")).code, 1);
    },
  });
}
