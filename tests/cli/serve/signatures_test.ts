import * as assert from "node:assert/strict";
import * as v from "valibot";
import { BASE_PATH } from "../../../schemas/base_path.ts";
import { SignatureEntry } from "../../../schemas/signatures.ts";
import { readJwtSecret } from "../../../storage/disk/jwt_secret.ts";
import { ChildServer } from "../../support/child_server.ts";
import { Client, dataOf } from "../../support/client.ts";
import { mintToken, USER_PRIVILEGES } from "../../support/server.ts";
import { signatureFile, SIGNED_MODEL } from "../../support/signatures.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

Deno.test({
  name:
    "C 29 who is trusted to sign is read at the start and at SIGHUP, with the rights of a server",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using directory = await TempDir.make();
    const { path: dataDir } = directory;
    await Deno.chmod(dataDir, 0o700);
    const trust = async (name: string, key: string) => {
      const text = `[signatures.${name}]\nkey = """\n${await signatureFile(key)}"""\n`;
      await Deno.writeTextFile(`${dataDir}/strongroom.toml`, text);
    };
    await trust("release", "p384.pub");
    await using child = await ChildServer.start({ dataDir });
    const secret = await readJwtSecret(dataDir) ?? "";
    const claims = { userId: 7, privileges: USER_PRIVILEGES, secret };
    const one = new Client(child.origin + BASE_PATH, await mintToken(claims));
    await one.upload("m", { "model.sig": await signatureFile("p384.sig") });
    for (const [path, content] of Object.entries(SIGNED_MODEL)) await one.put(`m/${path}`, content);
    const signature = async () => {
      const reply = await one.send("GET", "/resources/signature", { query: { path: "m" } });
      return v.parse(SignatureEntry, dataOf(reply)).signature;
    };
    assert.deepEqual(await signature(), { state: "signed", signer: "release" });
    await trust("other", "p256.pub");
    Deno.kill(child.supervisorPid, "SIGHUP");
    await until(() => child.log.includes('"Reloaded"'));
    assert.deepEqual(await signature(), {
      state: "invalid",
      reason: "no trusted key has signed it",
    });
    assert.equal((await child.end("SIGTERM")).code, 0);
  },
});
