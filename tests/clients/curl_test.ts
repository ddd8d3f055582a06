import * as assert from "node:assert/strict";
import { refused } from "../support/client.ts";
import { noise } from "../support/random.ts";
import { TestServer } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram, run } from "../support/tools.ts";

const ignore = !await hasProgram("curl", "--version") || !await hasProgram("bash", "--version");

Deno.test({
  name: "C 17 curl -T stores a file, with or without its length",
  ignore,
  async fn(t) {
    await using directory = await TempDir.make();
    await using server = await TestServer.start({ limits: { maxUploadFileSize: 4_000_000 } });
    const one = await server.as(1);
    /** Runs curl and returns the status, and the body of the reply. */
    const curl = async (args: string) => {
      const script = `curl -sS -H "Authorization: Bearer $TOKEN" -w '\\n%{http_code}' ${args}`;
      const env = { TOKEN: one.token, URL: server.url };
      const { code, stdout, stderr } = await run("bash", ["-euc", script], {
        cwd: directory.path,
        env,
      });
      assert.equal(code, 0, stderr);
      const end = stdout.lastIndexOf("\n");
      return { status: Number(stdout.slice(end)), text: stdout.slice(0, end), headers: NO_HEADERS };
    };
    const bytes = noise(3_000_000, 1);
    await Deno.writeFile(`${directory.path}/model.bin`, bytes);
    await Deno.writeFile(`${directory.path}/large.bin`, noise(5_000_000, 2));

    await t.step(
      "C 17 curl -T file adds the name to an address that ends with a slash",
      async () => {
        assert.equal((await curl('-T model.bin "$URL/files/models/"')).status, 201);
        assert.deepEqual(await one.bytes({ path: "models/model.bin" }), bytes);
        assert.equal((await curl('-T model.bin "$URL/files/models/model.bin"')).status, 200);
      },
    );
    await t.step("C 17 curl -T - sends chunks of unknown length", async () => {
      assert.equal((await curl('-T - "$URL/files/piped" < model.bin')).status, 201);
      assert.deepEqual(await one.bytes({ path: "piped" }), bytes);
    });
    await t.step("C 17 curl gets the file, the rest of it, and its head", async () => {
      await curl('-o got.bin "$URL/files/piped"');
      assert.deepEqual(await Deno.readFile(`${directory.path}/got.bin`), bytes);
      await Deno.writeFile(`${directory.path}/part.bin`, bytes.subarray(0, 1_000_000));
      assert.equal((await curl('-C - -o part.bin "$URL/files/piped"')).status, 206);
      assert.deepEqual(await Deno.readFile(`${directory.path}/part.bin`), bytes);
      assert.match((await curl('-I "$URL/files/piped"')).text, /content-length: 3000000/i);
    });
    await t.step(
      "C 6 curl shows why a large file, a digest or a condition is refused",
      async () => {
        const invalid = "ErrResourcesInvalidRequest";
        refused(await curl('-T large.bin "$URL/files/x"'), 400, invalid);
        refused(await curl('-T - "$URL/files/x" < large.bin'), 400, invalid);
        refused(await curl('-H "Expect:" -T large.bin "$URL/files/x"'), 400, invalid);
        const none = '-H "If-None-Match: *" -T large.bin';
        refused(await curl(`${none} "$URL/files/large.bin/"`), 400, invalid);
        const taken = '-H "If-None-Match: *" -T model.bin "$URL/files/piped"';
        refused(await curl(taken), 412, "ErrPreconditionFailed");
        const digest = '-H "Content-MD5: AAAAAAAAAAAAAAAAAAAAAA==" -T model.bin "$URL/files/x"';
        refused(await curl(digest), 400, "ErrResourcesInvalidData");
        assert.deepEqual(await server.temporaryFiles(), []);
        assert.deepEqual(await one.tree(), ["models", "models/model.bin", "piped"]);
      },
    );
    await t.step("C 17 curl -X DELETE deletes it", async () => {
      assert.equal((await curl('-X DELETE "$URL/files/piped"')).status, 200);
      assert.equal((await curl('"$URL/files/piped"')).status, 404);
    });
  },
});

/** Replies have a request id; curl writes the body only. */
const NO_HEADERS = new Headers({ "X-Request-Id": "none" });
