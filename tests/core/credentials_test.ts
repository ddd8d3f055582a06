import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import * as jose from "jose";
import {
  type CredentialOptions,
  credentialVerifier,
  mintCredential,
} from "../../core/credentials.ts";
import { AppError } from "../../core/errors.ts";
import { RemoteKeys } from "../../core/remote_keys.ts";
import { until } from "../support/until.ts";

const SECRET = "0123456789abcdef0123456789abcdef";
const secretKey = new TextEncoder().encode(SECRET);
const now = () => Math.floor(Date.now() / 1000);

function bySecret(options: Omit<CredentialOptions, "key"> = {}) {
  return credentialVerifier({ ...options, key: { kind: "secret", secret: SECRET } });
}

/** Signs any claims, so that a test can break one rule at a time. */
function sign(
  claims: Record<string, unknown>,
  { alg = "HS256", key = secretKey, ...header }: {
    alg?: string;
    key?: jose.CryptoKey | Uint8Array;
    kid?: string;
    typ?: string;
  } = {},
): Promise<string> {
  const whole = { sub: "1", privileges: ["resources.view"], exp: now() + 600, ...claims };
  return new jose.SignJWT(whole).setProtectedHeader({ alg, ...header }).sign(key);
}

async function refuses(
  verify: (token: string) => Promise<unknown>,
  token: string,
): Promise<string> {
  try {
    await verify(token);
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.kind, "ErrAuthRequired");
    assert.equal(error.message.includes(token), false);
    return error.message;
  }
  throw new assert.AssertionError({ message: "accepted" });
}

Deno.test("C 10 credentialVerifier() accepts what mintCredential() mints", async () => {
  const token = await mintCredential({
    secret: SECRET,
    userId: 42,
    privileges: ["resources.view", "resources.upload"],
    ttlSeconds: 60,
    issuer: "us",
    audience: "them",
  });
  const verify = await bySecret({ issuer: "us", audience: "them" });
  const { expiresAt, issuedAt = 0, keyId, ...caller } = await verify(token);
  assert.match(keyId ?? "", /^[0-9a-f]{16}$/);
  assert.ok(issuedAt > Date.now() - 60_000 && issuedAt <= Date.now(), String(issuedAt));
  assert.deepEqual(caller, {
    isOutdated: false,
    isBound: false,
    userId: 42,
    privileges: new Set(["resources.view", "resources.upload"]),
    trees: undefined,
    jti: undefined,
    quota: undefined,
  });
  // Includes the leeway of 30 s, and allows for the duration of the test.
  const left = expiresAt - Date.now();
  assert.ok(left > 60_000 && left <= 91_000, String(left));
});

Deno.test("C 10 a credential that was accepted is refused once it has expired", async () => {
  const verify = await bySecret();
  // The leeway for clocks is 30 s.
  const token = await sign({ exp: now() - 27 });
  assert.equal((await verify(token)).userId, 1);
  assert.equal((await verify(token)).userId, 1);
  await until(() => verify(token).then(() => false, () => true));
  assert.match(await refuses(verify, token), /has expired/);
});

Deno.test("C 10 claims", async (t) => {
  const verify = await bySecret();
  await t.step("C 10 sub is a user id as a decimal string", async () => {
    assert.deepEqual((await verify(await sign({ sub: "9007199254740991" }))).userId, 2 ** 53 - 1);
    const bad = [
      "",
      "0",
      "01",
      "-1",
      "1.0",
      "1e3",
      " 1",
      "9007199254740992",
      "one",
      1,
      null,
      undefined,
    ];
    for (const sub of bad) assert.match(await refuses(verify, await sign({ sub })), /sub|valid/);
  });
  await t.step("C 10 privileges is an array of strings", async () => {
    for (const privileges of [undefined, null, "resources.view", [1], { a: 1 }]) {
      assert.match(await refuses(verify, await sign({ privileges })), /privileges/);
    }
    assert.equal((await verify(await sign({ privileges: [] }))).privileges.size, 0);
  });
  await t.step("C 10 exp is required", async () => {
    assert.match(await refuses(verify, await sign({ exp: undefined })), /exp/);
    assert.match(await refuses(verify, await sign({ exp: "soon" })), /exp/);
  });
  await t.step("C 10 exp, nbf and iat are checked with 30 s of leeway", async () => {
    await verify(await sign({ exp: now() - 25 }));
    assert.match(await refuses(verify, await sign({ exp: now() - 35 })), /expired/);
    await verify(await sign({ nbf: now() + 25 }));
    assert.match(await refuses(verify, await sign({ nbf: now() + 35 })), /nbf/);
    await verify(await sign({ iat: now() + 25 }));
    assert.match(await refuses(verify, await sign({ iat: now() + 35 })), /future/);
  });
  await t.step("C 10 iss and aud are checked if they are configured", async () => {
    await verify(await sign({ iss: "anyone", aud: "anything" }));
    const strict = await bySecret({ issuer: "us", audience: "here" });
    await strict(await sign({ iss: "us", aud: "here" }));
    await strict(await sign({ iss: "us", aud: ["there", "here"] }));
    for (
      const claims of [{}, { iss: "us" }, { iss: "them", aud: "here" }, { iss: "us", aud: "x" }]
    ) {
      assert.match(await refuses(strict, await sign(claims)), /iss|aud/);
    }
  });
  await t.step("C 10 refuses an unknown critical header", async () => {
    // jose does not sign such a credential.
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const signed = (header: Record<string, unknown>) => {
      const text = `${part({ alg: "HS256", ...header })}.${
        part({ sub: "1", privileges: [], exp: now() + 60 })
      }`;
      return `${text}.${createHmac("sha256", SECRET).update(text).digest("base64url")}`;
    };
    assert.equal((await verify(signed({}))).userId, 1);
    await refuses(verify, signed({ crit: ["unknown"], unknown: true }));
  });
});

Deno.test("C 10 accepts the configured algorithms only", async (t) => {
  const rsa = await jose.generateKeyPair("RS256", { extractable: true });
  const ec = await jose.generateKeyPair("ES256", { extractable: true });
  const ed = await jose.generateKeyPair("EdDSA", { extractable: true });
  const pairs = { RS256: rsa, ES256: ec, EdDSA: ed };

  for (const [alg, { publicKey, privateKey }] of Object.entries(pairs)) {
    await t.step(`C 10 a public key for ${alg}`, async () => {
      const pem = await jose.exportSPKI(publicKey);
      const verify = await credentialVerifier({ key: { kind: "publicKey", pem } });
      assert.equal((await verify(await sign({}, { alg, key: privateKey }))).userId, 1);
      await refuses(verify, await sign({}));
      // Key confusion: the public key as a shared secret.
      await refuses(verify, await sign({}, { key: new TextEncoder().encode(pem) }));
      for (const [other, pair] of Object.entries(pairs)) {
        if (other === alg) continue;
        await refuses(verify, await sign({}, { alg: other, key: pair.privateKey }));
      }
      const foreign = await jose.generateKeyPair(alg);
      await refuses(verify, await sign({}, { alg, key: foreign.privateKey }));
    });
    await t.step(`C 10 a secret refuses ${alg}`, async () => {
      await refuses(await bySecret(), await sign({}, { alg, key: privateKey }));
    });
  }
  await t.step("C 10 a secret refuses HS384, HS512 and none", async () => {
    const verify = await bySecret();
    const long = new TextEncoder().encode(SECRET.repeat(2));
    for (const alg of ["HS384", "HS512"]) await refuses(verify, await sign({}, { alg, key: long }));
    const unsecured = new jose.UnsecuredJWT({ privileges: [] }).setSubject("1")
      .setExpirationTime("1h").encode();
    await refuses(verify, unsecured);
  });
  await t.step("C 10 keys at a JWKS URL", async () => {
    const keys = await Promise.all(
      Object.entries(pairs).map(async ([alg, { publicKey }]) => ({
        ...await jose.exportJWK(publicKey),
        alg,
        kid: alg,
      })),
    );
    await using server = Deno.serve({ port: 0, onListen() {} }, () => Response.json({ keys }));
    const url = `http://127.0.0.1:${server.addr.port}/jwks.json`;
    const verify = await credentialVerifier({
      key: { kind: "jwks", keys: new RemoteKeys({ url }) },
    });
    for (const [alg, { privateKey }] of Object.entries(pairs)) {
      assert.equal((await verify(await sign({}, { alg, key: privateKey, kid: alg }))).userId, 1);
    }
    await refuses(verify, await sign({}));
    await refuses(verify, await sign({}, { alg: "RS256", key: rsa.privateKey, kid: "unknown" }));
  });
  await t.step("C 10 credentialVerifier() refuses other types of keys", async () => {
    const { publicKey } = await jose.generateKeyPair("X25519" as string).catch(() =>
      jose.generateKeyPair("ECDH-ES", { crv: "X25519", extractable: true })
    );
    const pem = await jose.exportSPKI(publicKey);
    await assert.rejects(credentialVerifier({ key: { kind: "publicKey", pem } }), TypeError);
    await assert.rejects(credentialVerifier({ key: { kind: "publicKey", pem: "no key" } }));
  });
});

Deno.test("C 10 the typ header is absent, JWT or at+jwt", async () => {
  const verify = await bySecret();
  for (const typ of ["JWT", "jwt", "at+jwt", "AT+JWT", "application/at+jwt"]) {
    assert.equal((await verify(await sign({}, { typ }))).userId, 1, typ);
  }
  for (
    const typ of ["", "id+jwt", "dpop+jwt", "logout+jwt", "secevent+jwt", "JOSE", "application/"]
  ) {
    assert.match(await refuses(verify, await sign({}, { typ })), /type/, typ);
  }
});

Deno.test("C 10 two secrets are accepted during a rotation", async () => {
  const previous = "fedcba9876543210fedcba9876543210";
  const rotating = await credentialVerifier({ key: { kind: "secret", secret: SECRET, previous } });
  const bytes = (text: string) => new TextEncoder().encode(text);
  assert.equal((await rotating(await sign({}))).userId, 1);
  assert.equal((await rotating(await sign({}, { key: bytes(previous) }))).userId, 1);
  const expired = await sign({ exp: now() - 60 }, { key: bytes(previous) });
  assert.match(await refuses(rotating, expired), /expired/);
  await refuses(rotating, await sign({}, { key: bytes("another".repeat(5)) }));
  await refuses(await bySecret(), await sign({}, { key: bytes(previous) }));
});
