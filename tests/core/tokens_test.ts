import * as assert from "node:assert/strict";
import type { CredentialStore } from "../../core/credential_store.ts";
import { revokeToken } from "../../core/tokens.ts";
import { Storage } from "../../storage/stores/storage.ts";
import { TempDir } from "../support/temp_dir.ts";

Deno.test("C 22 a revocation that is done is answered, though the register cannot be read after it", async () => {
  await using directory = await TempDir.make();
  await using storage = await Storage.open(directory.path);
  const { credentials } = storage.records;
  let isRevoked = false;
  const store: CredentialStore = {
    add: (...given) => credentials.add(...given),
    isRevoked: credentials.isRevoked,
    findShort: (sha256) => credentials.findShort(sha256),
    noteUses: (uses) => credentials.noteUses(uses),
    revokeUser: (...given) => credentials.revokeUser(...given),
    list: (page) => credentials.list(page),
    find: (jti) => isRevoked ? Promise.reject(new Error("a disk hiccup")) : credentials.find(jti),
    async revoke(...given) {
      const revoked = await credentials.revoke(...given);
      isRevoked = true;
      return revoked;
    },
  };
  const caller = { userId: 1, privileges: new Set(["resources.admin"]), expiresAt: Infinity };
  const revoked = await revokeToken({ store, sign: undefined, makeAccessKey: undefined }, {
    caller,
    jti: "of another issuer",
  });
  assert.equal(revoked.jti, "of another issuer");
  assert.notEqual(revoked.revokedAt, undefined);
  assert.deepEqual(await credentials.find("of another issuer"), revoked);
});
