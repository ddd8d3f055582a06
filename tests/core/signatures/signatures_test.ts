import { pem, X509Certificate } from "@sigstore/core";
import * as assert from "node:assert/strict";
import { identityOf } from "../../../core/signatures/certificates.ts";
import { type Manifest, parseManifest } from "../../../core/signatures/manifest.ts";
import { parseSigners } from "../../../core/signatures/parse.ts";
import { InvalidSignature, type TrustedSigners } from "../../../core/signatures/trusted.ts";
import { signatureFile, signersOf, trusted } from "../../support/signatures.ts";

const encoder = new TextEncoder();
const signers = await trusted();

/** Whose a bundle is, or why it does not count. */
function outcomeOf(bundle: string, by: TrustedSigners = signers): string {
  try {
    const { by: { signer, identity } } = by.verify(encoder.encode(bundle));
    return identity === undefined ? signer : `${signer} (${identity})`;
  } catch (error) {
    if (error instanceof InvalidSignature) return `invalid: ${error.message}`;
    throw error;
  }
}

async function outcome(name: string, by?: TrustedSigners): Promise<string> {
  return outcomeOf(await signatureFile(`${name}.sig`), by);
}

Deno.test("C 29 bundles of model-signing count by trusted keys of both curves, and by certificates", async () => {
  assert.equal(await outcome("p256"), "release");
  assert.equal(await outcome("p384"), "board");
  assert.equal(await outcome("certificate"), "staff (release@example.com)");
  assert.equal(await outcome("chain_unordered"), "staff (release@example.com)");
});

Deno.test("C 29 bundles by others, and by certificates that must not sign, do not count", async () => {
  assert.deepEqual(
    await Promise.all(
      ["foreign", "foreign_root", "no_chain", "expired", "too_long", "not_ca", "server"].map((it) =>
        outcome(it)
      ),
    ),
    [
      "invalid: no trusted key has signed it",
      "invalid: no trusted certificate has issued that of its signer",
      "invalid: no trusted certificate has issued that of its signer",
      "invalid: a certificate has expired on 2020-01-01",
      "invalid: its chain of certificates is longer than an issuer allows",
      "invalid: a certificate was issued by one that must not issue any",
      "invalid: the certificate of its signer is not for signatures of code",
    ],
  );
  assert.equal(
    await outcome("constrained"),
    "invalid: a certificate has the critical extension 2.5.29.30",
  );
});

Deno.test("C 29 certificates count for those alone whom their signer names", async () => {
  const certificates = await signatureFile("root.crt");
  const by = (identity: unknown) => signersOf({ staff: { certificates, identity } });
  assert.equal(await outcome("certificate", by("*@example.com")), "staff (release@example.com)");
  assert.equal(
    await outcome("certificate", by(["*@example.org", "boss@example.com"])),
    "invalid: release@example.com is not trusted",
  );
});

/** Of an organization whose name has a line `CN=boss`, with the common name `mallory`. */
const TWO_LINES = `-----BEGIN CERTIFICATE-----
MIIBoTCCAUegAwIBAgIUMkrZ45pV4iEq/8uoXxw/rA8ZHUUwCgYIKoZIzj0EAwIw
JjESMBAGA1UECgwJeApDTj1ib3NzMRAwDgYDVQQDDAdtYWxsb3J5MB4XDTI2MTEy
NzIwNTEwMVoXDTI2MTIwNzIwNTEwMVowJjESMBAGA1UECgwJeApDTj1ib3NzMRAw
DgYDVQQDDAdtYWxsb3J5MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEvbHD0/je
IlPmz86MmxW1DJ+rApAf55x5OHpXvqgDkxau64io+Vif5up30j98Ow+ZqiirD7wu
NSgnvXGLpNFcFaNTMFEwHQYDVR0OBBYEFM4RMA11YG+2+ZMF484Kq809k9NBMB8G
A1UdIwQYMBaAFM4RMA11YG+2+ZMF484Kq809k9NBMA8GA1UdEwEB/wQFMAMBAf8w
CgYIKoZIzj0EAwIDSAAwRQIgeW8uFfsr5Ur5sIKx58kGgdv0EB33TKx1iKKzE/7D
xi0CIQDpX+ViRDazS5Gb0qOIgJAC7ekiabZH2gk36UTlz2Vo3A==
-----END CERTIFICATE-----
`;

Deno.test("C 29 whom a certificate names is not to be found in other parts of its subject", () => {
  assert.equal(identityOf(X509Certificate.parse(pem.toDER(TWO_LINES))), "mallory");
});

interface Bundle {
  dsseEnvelope: { payload: string; payloadType: string; signatures: { sig: string }[] };
  verificationMaterial: unknown;
}

async function changed(name: string, change: (bundle: Bundle) => void): Promise<string> {
  const bundle: Bundle = JSON.parse(await signatureFile(`${name}.sig`));
  change(bundle);
  return outcomeOf(JSON.stringify(bundle));
}

Deno.test("C 29 a changed statement, a swapped signature and a swapped key do not count", async () => {
  const other: Bundle = JSON.parse(await signatureFile("foreign.sig"));
  const blake: Bundle = JSON.parse(await signatureFile("blake3.sig"));
  const tampered = "invalid: release has not signed this: it was changed since";
  assert.equal(
    await changed("p256", ({ dsseEnvelope: it }) => {
      it.payload = btoa(atob(it.payload).replace("config.json", "konfig.json"));
    }),
    tampered,
  );
  assert.equal(
    await changed("p256", ({ dsseEnvelope: it }) => {
      it.signatures = blake.dsseEnvelope.signatures;
    }),
    tampered,
  );
  assert.equal(
    await changed("p256", ({ dsseEnvelope: it }) => {
      it.signatures = other.dsseEnvelope.signatures;
    }),
    tampered,
  );
  assert.equal(
    await changed("foreign", (it) => {
      const { payload } = it.dsseEnvelope;
      Object.assign(it, blake, { dsseEnvelope: { ...it.dsseEnvelope, payload } });
    }),
    tampered,
  );
  assert.equal(
    await changed("certificate", ({ dsseEnvelope: it }) => {
      it.payload = blake.dsseEnvelope.payload;
    }),
    "invalid: release@example.com has not signed this: it was changed since",
  );
  assert.equal(
    await changed("p256", ({ dsseEnvelope: it }) => {
      it.payloadType = "text/plain";
    }),
    "invalid: what it signs is no statement",
  );
  assert.equal(outcomeOf("{}"), "invalid: it is no bundle of Sigstore");
});

/** What is signed, by each file's digest. */
function manifestOf(statement: unknown): Manifest {
  return parseManifest(encoder.encode(JSON.stringify(statement)));
}

Deno.test("C 29 a statement lists the files of a model with digests that are kept", async () => {
  const read = async (name: string) => {
    const content = encoder.encode(await signatureFile(`${name}.sig`));
    return parseManifest(signers.verify(content).statement);
  };
  const { files, leftOut } = await read("p256");
  assert.deepEqual([...files.keys()], ["config.json", "weights/model.bin"]);
  assert.match(files.get("config.json")?.sha256 ?? "", /^[0-9a-f]{64}$/);
  assert.ok(leftOut.has("model.sig") && leftOut.has(".gitattributes"));
  const parts = await read("shards");
  assert.equal(parts.files.get("weights/model.bin")?.size, 7);
  assert.equal(
    parts.files.get("weights/model.bin")?.sha256,
    files.get("weights/model.bin")?.sha256,
  );
  assert.equal(parts.files.get("config.json")?.sha256, undefined);
  assert.deepEqual([...(await read("blake3")).files.values()].map(({ sha256 }) => sha256), [
    undefined,
    undefined,
  ]);
});

Deno.test("C 29 a statement that contradicts itself, or is about something else, counts for nothing", () => {
  const digest = "0".repeat(64);
  const statement = (resources: readonly object[], changes: object = {}) => ({
    _type: "https://in-toto.io/Statement/v1",
    predicateType: "https://model_signing/signature/v1.0",
    subject: [{ name: "model", digest: { sha256: digest } }],
    predicate: { serialization: { method: "files" }, resources },
    ...changes,
  });
  const file = { name: "a", algorithm: "sha256", digest };
  assert.throws(() => manifestOf(statement([file])), /not what it says of each/);
  assert.throws(
    () => manifestOf(statement([file], { predicateType: "https://slsa.dev/provenance/v1" })),
    /what it signs is no model/,
  );
  assert.throws(() => manifestOf(statement([{ name: "a" }])), /no list of files/);
  // SHA-256 of 64 zero bytes.
  const both = "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b";
  const subject = [{ name: "model", digest: { sha256: both } }];
  assert.throws(() => manifestOf(statement([file, file], { subject })), /two things of one file/);
});

Deno.test("C 29 the table of signers says what is wrong in it", async () => {
  const key = await signatureFile("p256.pub");
  const problemOf = (table: unknown) => {
    const parsed = parseSigners(table);
    return "problem" in parsed ? `${parsed.keys.join(".")}: ${parsed.problem}` : parsed.names;
  };
  assert.deepEqual(problemOf({ release: { key } }), ["release"]);
  assert.equal(
    problemOf({ release: { key: "x" } }),
    "release.key: expected a public key of P-256, P-384 or P-521 in PEM",
  );
  assert.equal(
    problemOf({ release: {} }),
    "release: expected either key or certificates",
  );
  assert.equal(
    problemOf({ release: { certificates: key } }),
    "release.certificates: expected certificates in PEM",
  );
  assert.equal(problemOf({ release: { key, hue: 1 } }), "release.hue: no signer has this");
  assert.equal(
    problemOf({ release: { key, identity: "a" } }),
    "release: a key names nobody: it has no identity",
  );
  assert.equal(
    problemOf({ "a b": { key } }),
    "a b: expected a name of up to 64 letters, digits, dashes and underscores",
  );
});
