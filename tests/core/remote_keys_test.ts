import * as assert from "node:assert/strict";
import * as jose from "jose";
import { credentialVerifier } from "../../core/credentials.ts";
import { AppError } from "../../core/errors.ts";
import { RemoteKeys } from "../../core/remote_keys.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** A key server, its clock, and a verifier that uses it. */
class KeyServer implements AsyncDisposable {
  fetches = 0;
  /** The response of the server; undefined is status 500. */
  body: (() => BodyInit) | undefined;
  time = 0;
  readonly keys: RemoteKeys;
  readonly #server = Deno.serve({ port: 0, onListen() {} }, () => {
    this.fetches++;
    return this.body === undefined
      ? new Response("down", { status: 500 })
      : new Response(this.body());
  });

  constructor() {
    const url = `http://127.0.0.1:${this.#server.addr.port}/jwks.json`;
    this.keys = new RemoteKeys({ url, now: () => this.time });
  }

  serve(...keys: unknown[]): void {
    this.body = () => JSON.stringify({ keys });
  }

  /** The kind of the error for a token, or "accepted". */
  async outcome(token: string): Promise<string> {
    const verify = await credentialVerifier({ key: { kind: "jwks", keys: this.keys } });
    try {
      await verify(token);
      return "accepted";
    } catch (error) {
      assert.ok(error instanceof AppError, String(error));
      assert.equal(error.message.includes(token), false);
      return error.kind;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

interface IssuerKey {
  readonly jwk: jose.JWK;
  readonly token: string;
}

async function issuerKey(kid: string, alg = "ES256"): Promise<IssuerKey> {
  const { publicKey, privateKey } = await jose.generateKeyPair(alg, { extractable: true });
  const token = await new jose.SignJWT({ privileges: [] }).setProtectedHeader({ alg, kid })
    .setSubject("1").setExpirationTime("1h").sign(privateKey);
  return { jwk: { ...await jose.exportJWK(publicKey), kid }, token };
}

Deno.test("C 10 keeps the keys of an issuer through an outage of its key server", async (t) => {
  await using server = new KeyServer();
  const [a, b] = [await issuerKey("a"), await issuerKey("b")];
  await t.step("C 10 refuses with ErrUnavailable if it never had keys", async () => {
    assert.deepEqual([await server.outcome(a.token), server.fetches], ["ErrUnavailable", 1]);
    assert.match(await server.keys.findProblem() ?? "", /127\.0\.0\.1.*status 500/);
  });
  await t.step("C 10 fetches again only after a cool-down", async () => {
    server.serve(a.jwk);
    assert.deepEqual([await server.outcome(a.token), server.fetches], ["ErrUnavailable", 1]);
    server.time += 5 * SECOND;
    assert.deepEqual([await server.outcome(a.token), server.fetches], ["accepted", 2]);
    assert.equal(await server.keys.findProblem(), undefined);
  });
  await t.step("C 10 keeps stale keys, and refuses unknown ones with ErrUnavailable", async () => {
    server.body = undefined;
    server.time += 60 * MINUTE;
    assert.equal(await server.outcome(a.token), "accepted");
    assert.equal(await server.outcome(b.token), "ErrUnavailable");
    assert.match(await server.keys.findProblem() ?? "", /status 500/);
    assert.equal(server.fetches, 3);
  });
  await t.step("C 10 keeps them also when the server does not respond with a key set", async () => {
    const bodies = ["", "{", "null", "[]", '{"keys":{}}', '{"keys":[{"kty":"EC"},null,1]}'];
    for (const [index, body] of bodies.entries()) {
      server.body = () => body;
      server.time += 5 * SECOND;
      assert.equal(await server.outcome(b.token), "ErrUnavailable", body);
      assert.equal(await server.outcome(a.token), "accepted", body);
      assert.equal(server.fetches, 4 + index);
    }
  });
  await t.step("C 10 uses new keys once the server is back", async () => {
    server.serve(b.jwk);
    server.time += 5 * SECOND;
    assert.equal(await server.keys.findProblem(), undefined);
    assert.equal(await server.outcome(b.token), "accepted");
    assert.equal(await server.outcome(a.token), "ErrAuthRequired");
  });
});

Deno.test("C 10 unknown key ids wait for a cool-down before another fetch", async () => {
  await using server = new KeyServer();
  const [a, b] = [await issuerKey("a"), await issuerKey("b")];
  server.serve(a.jwk);
  assert.equal(await server.outcome(a.token), "accepted");
  server.serve(a.jwk, b.jwk);
  const unknown = () => Promise.all(Array.from({ length: 50 }, () => server.outcome(b.token)));
  assert.deepEqual([new Set(await unknown()), server.fetches], [new Set(["ErrAuthRequired"]), 1]);
  server.time += 30 * SECOND;
  assert.deepEqual([new Set(await unknown()), server.fetches], [new Set(["accepted"]), 2]);
});

Deno.test("C 10 fetches keys again when they are ten minutes old", async () => {
  await using server = new KeyServer();
  const a = await issuerKey("a");
  server.serve(a.jwk);
  assert.equal(await server.outcome(a.token), "accepted");
  server.serve();
  server.time += 9 * MINUTE;
  assert.equal(await server.outcome(a.token), "accepted");
  server.time += MINUTE;
  assert.equal(await server.outcome(a.token), "ErrAuthRequired");
});

Deno.test("C 10 leaves out keys that cannot verify a credential", async () => {
  await using server = new KeyServer();
  const [a, ed] = [await issuerKey("a"), await issuerKey("ed", "EdDSA")];
  const short = await crypto.subtle.generateKey(
    {
      name: "RSASSA-PKCS1-v1_5",
      modulusLength: 1024,
      publicExponent: new Uint8Array([1, 0, 1]),
      hash: "SHA-256",
    },
    true,
    ["sign", "verify"],
  );
  const secret = await jose.generateKeyPair("ES256", { extractable: true });
  server.serve(
    null,
    "text",
    {},
    { kty: "EC", kid: "a" },
    { ...a.jwk, x: "!", kid: "a" },
    { ...a.jwk, crv: "P-999", kid: "a" },
    { kty: "oct", k: "AAAA", kid: "a" },
    { ...a.jwk, use: "enc" },
    { ...await jose.exportJWK(short.publicKey), kid: "a" },
    { ...await jose.exportJWK(secret.privateKey), kid: "a" },
    a.jwk,
    ed.jwk,
  );
  assert.equal(await server.outcome(a.token), "accepted");
  assert.equal(await server.outcome(ed.token), "accepted");
  assert.equal(await server.keys.findProblem(), undefined);
});

Deno.test("C 10 bounds the size of a key set", async (t) => {
  const a = await issuerKey("a");
  await t.step("C 10 in keys", async () => {
    await using server = new KeyServer();
    server.serve(...Array.from({ length: 101 }, (_, index) => ({ ...a.jwk, kid: `${index}` })));
    assert.equal(await server.outcome(a.token), "ErrUnavailable");
    assert.match(await server.keys.findProblem() ?? "", /more than 100 keys/);
  });
  await t.step("C 10 in bytes, while they arrive", async () => {
    await using server = new KeyServer();
    let sent = 0;
    server.body = () =>
      new ReadableStream<Uint8Array<ArrayBuffer>>({
        pull(controller) {
          controller.enqueue(new Uint8Array(65_536).fill(0x20));
          sent += 65_536;
        },
      });
    assert.equal(await server.outcome(a.token), "ErrUnavailable");
    assert.match(await server.keys.findProblem() ?? "", /more than 262144 bytes/);
    assert.ok(sent < 16 * 2 ** 20, String(sent));
  });
});
