import * as assert from "node:assert/strict";
import { ensureJwtSecret } from "../../../storage/disk/jwt_secret.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("C 10 ensureJwtSecret() creates one secret under concurrent calls", async () => {
  await using directory = await TempDir.make();
  const results = await Promise.all(
    Array.from({ length: 20 }, () => ensureJwtSecret(directory.path)),
  );
  assert.equal(new Set(results.map(({ secret }) => secret)).size, 1);
  assert.equal(results.filter(({ created }) => created).length, 1);
  assert.ok((results[0]?.secret.length ?? 0) >= 32);
  assert.deepEqual((await Array.fromAsync(Deno.readDir(directory.path))).length, 1);
});

Deno.test("C 10 ensureJwtSecret() refuses a secret that is too short or too uniform", async () => {
  await using directory = await TempDir.make();
  for (const secret of ["", "a", "a secret of less than 32 bytes", "s".repeat(32)]) {
    await Deno.writeTextFile(`${directory.path}/jwt.secret`, `${secret}\n`);
    await assert.rejects(
      ensureJwtSecret(directory.path),
      /secret in ".*jwt.secret" is too weak: expected at least 32 bytes/,
    );
  }
});
