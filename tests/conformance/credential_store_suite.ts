import * as assert from "node:assert/strict";
import type { CredentialPage, DerivedCredential } from "../../core/credential_store.ts";
import { type StoresEngine, storesTest } from "../support/stores.ts";

const DAY_MS = 24 * 60 * 60_000;

function derived(jti: string, changes: Partial<DerivedCredential> = {}): DerivedCredential {
  return {
    jti,
    userId: 7,
    privileges: ["a", "b"],
    trees: { 8: ["a"] },
    quota: 2 ** 40,
    label: "a laptop",
    parent: "root",
    parentIssuedAt: 900,
    mintedAt: 1000,
    expiresAt: 100_000_000,
    ...changes,
  };
}

/** The conformance suite for every {@link CredentialStore}. */
export function credentialStoreSuite(engine: StoresEngine): void {
  const test = storesTest(engine);

  test("C 22 credentials are listed for their user, those that became known last first", async ({ store }) => {
    const { credentials } = store;
    for (const [index, jti] of ["C", "a", "b"].entries()) {
      assert.equal(await credentials.add(derived(jti, { mintedAt: 1000 + (index >> 1) }), 9), true);
    }
    await credentials.add(derived("other", { userId: 8, quota: undefined, label: undefined }), 9);
    await credentials.revoke("foreign", 500);
    const list = async (page: Partial<CredentialPage>) =>
      (await credentials.list({ limit: 9, ...page })).map(({ jti }) => jti);
    assert.deepEqual(await list({}), ["b", "other", "a", "C", "foreign"]);
    assert.deepEqual(await list({ userId: 7 }), ["b", "a", "C"]);
    assert.deepEqual(await list({ userId: 7, limit: 1, before: "b" }), ["a"]);
    assert.deepEqual(await list({ before: "a" }), ["C", "foreign"]);
    const { parentIssuedAt: _, ...added } = derived("a");
    assert.deepEqual(await credentials.find("a"), { ...added, revokedAt: undefined });
    assert.equal((await credentials.find("foreign"))?.userId, undefined);
    assert.equal(await credentials.find("nobody's"), undefined);
  });

  test("C 22 a revocation ends all that descend from a credential, at once", async ({ store }) => {
    const { credentials } = store;
    await credentials.add(derived("child"), 9);
    await credentials.add(derived("grandchild", { parent: "child" }), 9);
    await credentials.add(derived("stranger", { parent: "another" }), 9);
    const all = ["root", "child", "grandchild", "stranger"];
    const revoked = () =>
      Promise.all(all.map((jti) => credentials.isRevoked({ jti, userId: 7, issuedAt: 1000 })));
    assert.deepEqual(await revoked(), [false, false, false, false]);
    await credentials.revoke("root", 5000);
    assert.deepEqual(await revoked(), [true, true, true, false]);
    assert.equal((await credentials.find("grandchild"))?.revokedAt, 5000);
    await credentials.revoke("root", 6000);
    assert.equal((await credentials.find("root"))?.revokedAt, 5000);
    assert.equal(await credentials.add(derived("late"), 9), false);
    // However they meet, no child of a revoked credential is left.
    for (let round = 0; round < 20; round++) {
      const parent = `parent ${round}`;
      await Promise.all([
        credentials.add(derived(`child ${round}`, { parent }), 100),
        credentials.revoke(parent, 1),
      ]);
      const child = await credentials.find(`child ${round}`);
      assert.ok(child === undefined || child.revokedAt === 1);
    }
  });

  test("C 31 what a user had before a time is revoked, known or not, with its descendants", async ({ store }) => {
    const { credentials } = store;
    await credentials.add(derived("old"), 9);
    await credentials.add(derived("descendant", { parent: "old", mintedAt: 3000 }), 9);
    const young = { parent: "unknown", parentIssuedAt: 2000, mintedAt: 3000 };
    await credentials.add(derived("young", young), 9);
    await credentials.add(derived("of 8", { userId: 8, parent: "root of 8" }), 9);
    assert.equal(await credentials.revokeUser(7, 2000, 5000), 2000);
    const over = (userId: number, issuedAt: number | undefined, jti?: string) =>
      credentials.isRevoked({ userId, issuedAt, jti });
    assert.deepEqual(
      await Promise.all([
        over(7, 1999),
        over(7, 1999, "unknown"),
        over(7, undefined),
        over(7, 3000, "old"),
        over(7, 3000, "descendant"),
      ]),
      [true, true, true, true, true],
    );
    assert.deepEqual(
      await Promise.all([over(7, 2000), over(7, 3000, "young"), over(8, 1000, "of 8")]),
      [false, false, false],
    );
    assert.equal((await credentials.find("descendant"))?.revokedAt, 5000);
    // An older one mints none from now on, whether it is recorded or not.
    for (const parent of ["old", "unknown"]) {
      const late = derived(`late of ${parent}`, { parent, parentIssuedAt: 1999, mintedAt: 4000 });
      assert.equal(await credentials.add(late, 9), false);
    }
    assert.equal(await credentials.revokeUser(7, 1000, 6000), 2000);
    assert.equal(await credentials.revokeUser(7, 2001, 6000), 2001);
    assert.equal(await over(7, 3000, "young"), true);
    // However they meet, no child of a credential of before is left.
    for (let round = 1; round <= 20; round++) {
      const userId = 100 + round;
      await Promise.all([
        credentials.add(derived(`child ${round}`, { userId, parent: "another" }), 100),
        credentials.revokeUser(userId, 950, 1),
      ]);
      const child = await credentials.find(`child ${round}`);
      assert.ok(child === undefined || child.revokedAt === 1);
    }
  });

  test("C 31 a short credential is found by the digest of its token, and has its last use", async ({ store }) => {
    const { credentials } = store;
    const tokenSha256 = "ab".repeat(32);
    const short = { tokenSha256, keyId: "the present one" };
    assert.equal(await credentials.add(derived("short", { short }), 9), true);
    await credentials.add(derived("signed"), 9);
    const found = await credentials.findShort(tokenSha256);
    const { short: shown } = found ?? {};
    assert.deepEqual(shown, {
      ...{ keyId: "the present one", usedAt: undefined },
      accessKeyId: undefined,
    });
    assert.deepEqual(await credentials.find("short"), found);
    assert.equal((await credentials.find("signed"))?.short, undefined);
    assert.equal(await credentials.findShort("cd".repeat(32)), undefined);
    await credentials.noteUses(new Map([["short", 5000], ["nobody's", 6000]]));
    await credentials.noteUses(new Map([["short", 4000]]));
    const [listed] = (await credentials.list({ limit: 9 })).filter(({ jti }) => jti === "short");
    assert.equal(listed?.short?.usedAt, 5000);
    assert.ok(!JSON.stringify(listed).includes(tokenSha256));
  });

  test("C 22 a user has a number of derived credentials, expired ones of which are forgotten", async ({ store }) => {
    const { credentials } = store;
    const added = await Promise.all(
      Array.from({ length: 6 }, (_, index) => credentials.add(derived(`${index}`), 4)),
    );
    assert.equal(added.filter((it) => it).length, 4);
    assert.equal(await credentials.add(derived("of 8", { userId: 8 }), 4), true);
    const later = { mintedAt: 200_000_000, expiresAt: 300_000_000 };
    assert.equal(await credentials.add(derived("later", later), 2), true);
    assert.equal((await credentials.list({ userId: 7, limit: 9 })).length, 5);
    const dayLater = { mintedAt: 300_000_000, expiresAt: 10 ** 11 };
    assert.equal(await credentials.add(derived("a day later", dayLater), 2), true);
    assert.equal((await credentials.list({ userId: 7, limit: 9 })).length, 4);
    const muchLater = { mintedAt: 10 ** 10, expiresAt: 10 ** 11 };
    assert.equal(await credentials.add(derived("much later", muchLater), 3), true);
    const at = { mintedAt: 10 ** 10 + DAY_MS, expiresAt: 10 ** 11 };
    assert.equal(await credentials.add(derived("confirmed", at), 9), true);
    const left = await credentials.list({ limit: 9 });
    assert.deepEqual(left.map(({ jti }) => jti), ["confirmed", "much later", "a day later"]);
  });

  test("C 31 a clock that runs ahead for one mint does not make a revoked credential valid", async ({ store }) => {
    const { credentials } = store;
    const now = 1000 * DAY_MS;
    const year = (mintedAt: number) => ({ mintedAt, expiresAt: mintedAt + 365 * DAY_MS });
    await credentials.add(derived("lost", year(now)), 3);
    await credentials.add(derived("child", { ...year(now), parent: "lost" }), 3);
    await credentials.revoke("lost", now);
    const all = async () =>
      await Promise.all(
        ["lost", "child"].map((jti) => credentials.isRevoked({ jti, userId: 7, issuedAt: now })),
      );
    assert.deepEqual(await all(), [true, true]);
    // The mint of a clock that is ten years ahead, and then those of the right one, day by day.
    for (const [index, days] of [3650, 0, 1, 2, 3].entries()) {
      const added = derived(`${index}`, { ...year(now + days * DAY_MS), parent: `${index}` });
      assert.equal(await credentials.add(added, 9), true);
      assert.deepEqual(await all(), [true, true]);
    }
    // A clock that stays ahead for a day is believed.
    for (const days of [3650, 3651, 3652]) {
      await credentials.add(derived(`${days}`, year(now + days * DAY_MS)), 99);
    }
    assert.equal(await credentials.find("child"), undefined);
  });

  test("C 31 credentials that are kept until the time is settled do not fill the disk", async ({ store }) => {
    const { credentials } = store;
    let made = 0;
    const add = () => {
      const mintedAt = 1000 * ++made;
      const short = { mintedAt, expiresAt: mintedAt + 1 };
      return credentials.add(derived(`${made}`, short), 2);
    };
    for (let index = 0; index < 20; index++) assert.equal(await add(), true);
    assert.equal(await add(), false);
  });
}
