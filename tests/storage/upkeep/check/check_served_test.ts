import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { TestServer } from "../../../support/server.ts";
import { loseContent, overwriteContent } from "../../../support/stored_content.ts";
import { until } from "../../../support/until.ts";
import { blobOf, checked, kindsOf } from "./checked.ts";

const md5 = (content: string) => createHash("md5").update(content).digest("hex");

Deno.test("C 22 check finds no damage in content that a server stores and removes meanwhile", async () => {
  await using server = await TestServer.start();
  const { dataDir } = server;
  const clients = await Promise.all([1, 2, 3].map((user) => server.as(user)));
  let rounds = 0;
  let done = false;
  const working = clients.map(async (client, index) => {
    for (let step = 0; !done; step++, rounds++) {
      const files = Object.fromEntries(
        Array.from({ length: 20 }, (_, file) => [`f${file}`, `${index} ${step} ${file}`]),
      );
      assert.equal((await client.upload(`d${step}`, { ...files, shared: "shared" })).status, 200);
      if (step > 1) await client.remove({ path: `d${step - 2}` });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  });
  let checks = 0;
  try {
    await until(() => rounds > 10);
    for (; checks < 4 || rounds < 20; checks++) {
      const result = await checked(dataDir, { readData: checks % 2 === 1 });
      assert.deepEqual(result.findings.listed, []);
      assert.equal(result.served, true);
    }
    await assert.rejects(checked(dataDir, { repair: true }), /in use by process/);
  } finally {
    done = true;
    await Promise.all(working);
  }
});

Deno.test("C 22 check of a served directory finds damage, and changes nothing", async () => {
  await using server = await TestServer.start();
  const { dataDir } = server;
  const one = await server.as(1);
  await one.upload("d", { missing: "missing", damaged: "damaged" });
  await loseContent(dataDir, md5("missing"));
  await overwriteContent(dataDir, md5("damaged"), new TextEncoder().encode("DAMAGED"));
  const orphan = blobOf(dataDir, "0123456789abcdef0123456789abcdef");
  await Deno.mkdir(orphan.slice(0, -33), { recursive: true });
  await Deno.writeTextFile(orphan, "orphan");
  const result = await checked(dataDir, { readData: true });
  assert.deepEqual(kindsOf(result).sort(), ["damaged", "missing", "unreferenced"]);
  assert.equal(await Deno.readTextFile(orphan), "orphan");
  for (const name of ["quarantine", "damaged"]) {
    await assert.rejects(Deno.stat(`${dataDir}/${name}`), Deno.errors.NotFound);
  }
  // The server goes on.
  assert.equal((await one.upload("e", { f: "f" })).status, 200);
});
