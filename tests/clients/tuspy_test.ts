import * as assert from "node:assert/strict";
import { noise } from "../support/random.ts";
import { TempDir } from "../support/temp_dir.ts";
import { TestServer } from "../support/server.ts";
import { pythonWith, run } from "../support/tools.ts";

/** Uploads a file, and stops at the offset of the last argument as if it had been killed. */
const PROGRAM = `
import os, sys
from tusclient import client
url, token, file, path, address, stop = sys.argv[1:]
tus = client.TusClient(url + "/uploads/", headers={"Authorization": "Bearer " + token})
uploader = tus.uploader(file, chunk_size=500_000, metadata={"path": path}, url=address or None,
                        upload_checksum=True)
while uploader.offset < uploader.get_file_size():
    uploader.upload_chunk()
    if stop and uploader.offset >= int(stop):
        print(uploader.url, flush=True)
        os.kill(os.getpid(), 9)
print(uploader.url)
`;

const python = await pythonWith("tusclient");

Deno.test({
  name: "C 21 tuspy uploads with checksums, and resumes after it was killed",
  ignore: python === undefined,
  async fn() {
    await using directory = await TempDir.make();
    await using server = await TestServer.start();
    const one = await server.as(1);
    const content = noise(3_000_000);
    const file = `${directory.path}/model.bin`;
    await Deno.writeFile(file, content);
    const upload = async (path: string, address = "", stop = "") => {
      const args = ["-c", PROGRAM, server.url, one.token, file, path, address, stop];
      const { code, stdout, stderr } = await run(python ?? "", args);
      return { code, url: stdout.trim(), stderr };
    };
    const whole = await upload("models/whole.bin");
    assert.equal(whole.code, 0, whole.stderr);
    assert.deepEqual(await one.bytes({ path: "models/whole.bin" }), content);

    const killed = await upload("models/killed.bin", "", "1000000");
    assert.notEqual(killed.code, 0);
    assert.match(killed.url, /\/api\/v1\/uploads\/[0-9a-f]{32}$/);
    assert.deepEqual(await one.tree(), ["models", "models/whole.bin"]);
    const resumed = await upload("models/killed.bin", killed.url);
    assert.equal(resumed.code, 0, resumed.stderr);
    assert.deepEqual(await one.bytes({ path: "models/killed.bin" }), content);
  },
});
