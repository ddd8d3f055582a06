import { assertBundle } from "@sigstore/bundle";
import { dsse, X509Certificate } from "@sigstore/core";
import { Bundle } from "@sigstore/protobuf-specs";
import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";
import type { PathMatcher } from "../glob.ts";
import { identityOf, trustedCertificate } from "./certificates.ts";
import { InvalidSignature, type SignedBy, type SignedStatement } from "./trusted.ts";

const PAYLOAD_TYPE = "application/vnd.in-toto+json";
const FOREVER = Infinity;

/** What somebody signs with, as the operator trusts it. */
export type Signer =
  & { readonly name: string }
  & (
    | { readonly kind: "key"; readonly key: KeyObject }
    | {
      readonly kind: "certificates";
      readonly roots: readonly X509Certificate[];
      /** Whom certificates may name. @default anybody */
      readonly identities?: readonly PathMatcher[] | undefined;
    }
  );

type Envelope = Extract<NonNullable<Bundle["content"]>, { $case: "dsseEnvelope" }>["dsseEnvelope"];
type Material = NonNullable<NonNullable<Bundle["verificationMaterial"]>["content"]>;

/**
 * Verifies a bundle of Sigstore by the first signer whose it is.
 *
 * @param content As JSON in UTF-8.
 * @throws {InvalidSignature}
 */
export function verifyBundle(
  content: Uint8Array,
  signers: readonly Signer[],
  now = Date.now(),
): SignedStatement {
  const bundle = parsedBundle(content);
  const { envelope, material } = partsOf(bundle);
  if (envelope.payloadType !== PAYLOAD_TYPE) {
    throw new InvalidSignature("what it signs is no statement");
  }
  const { by, until } = material.$case === "publicKey"
    ? signedByKey(envelope, material.publicKey.hint, signers)
    : signedByCertificate(envelope, material, signers, now);
  return { by, until, statement: envelope.payload };
}

function parsedBundle(content: Uint8Array): Bundle {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(content);
    const bundle = Bundle.fromJSON(JSON.parse(text));
    assertBundle(bundle);
    return bundle;
  } catch (cause) {
    throw new InvalidSignature("it is no bundle of Sigstore", { cause });
  }
}

function partsOf({ content, verificationMaterial }: Bundle) {
  const material = verificationMaterial?.content;
  if (content?.$case !== "dsseEnvelope" || material === undefined) {
    throw new InvalidSignature("it signs no statement");
  }
  return { envelope: content.dsseEnvelope, material };
}

interface Signed {
  readonly by: SignedBy;
  readonly until: number;
}

function signedByKey(envelope: Envelope, hint: string, signers: readonly Signer[]): Signed {
  let named: string | undefined;
  for (const { name, ...signer } of signers) {
    if (signer.kind !== "key") continue;
    if (isSignature(envelope, signer.key)) return { by: { signer: name }, until: FOREVER };
    if (hint === hintOf(signer.key)) named = name;
  }
  throw new InvalidSignature(
    named === undefined
      ? "no trusted key has signed it"
      : `${named} has not signed this: it was changed since`,
  );
}

/** What bundles call a key. */
function hintOf(key: KeyObject): string {
  return createHash("sha256").update(key.export({ type: "spki", format: "pem" })).digest("hex");
}

const DIGESTS: ReadonlyMap<string | undefined, string> = new Map([
  ["prime256v1", "sha256"],
  ["secp256r1", "sha256"],
  ["secp384r1", "sha384"],
  ["secp521r1", "sha512"],
]);

/** The digest that signatures with a key have; undefined for a key that signs no models. */
export function digestFor(key: KeyObject): string | undefined {
  if (key.asymmetricKeyType !== "ec") return undefined;
  return DIGESTS.get(key.asymmetricKeyDetails?.namedCurve);
}

function isSignature({ payloadType, payload, signatures }: Envelope, key: KeyObject): boolean {
  const digest = digestFor(key);
  const [signature] = signatures;
  if (digest === undefined || signature === undefined) return false;
  return verify(digest, dsse.preAuthEncoding(payloadType, payload), key, signature.sig);
}

type Certificates = Exclude<Material, { $case: "publicKey" }>;

function signedByCertificate(
  envelope: Envelope,
  material: Certificates,
  signers: readonly Signer[],
  now: number,
): Signed {
  let reason = new InvalidSignature("no trusted certificate has issued that of its signer");
  for (const signer of signers) {
    if (signer.kind !== "certificates") continue;
    try {
      return certifiedBy(signer, { envelope, material, now });
    } catch (error) {
      reason = asInvalid(error);
    }
  }
  throw reason;
}

/** Whatever a library says of what is no certificate. */
function asInvalid(error: unknown): InvalidSignature {
  if (error instanceof InvalidSignature) return error;
  return new InvalidSignature("a certificate of it cannot be read", { cause: error });
}

function certifiedBy(
  { name, roots, identities }: Extract<Signer, { kind: "certificates" }>,
  { envelope, material, now }: {
    readonly envelope: Envelope;
    readonly material: Certificates;
    readonly now: number;
  },
): Signed {
  const encoded = material.$case === "certificate"
    ? [material.certificate]
    : material.x509CertificateChain.certificates;
  const chain = encoded.map(({ rawBytes }) => X509Certificate.parse(Buffer.from(rawBytes)));
  const { certificate, until } = trustedCertificate(chain, roots, now);
  const key = createPublicKey({ key: certificate.publicKey, format: "der", type: "spki" });
  const identity = identityOf(certificate);
  if (!isSignature(envelope, key)) {
    throw new InvalidSignature(`${identity ?? name} has not signed this: it was changed since`);
  }
  requireIdentity(identity, identities);
  return { by: { signer: name, identity }, until };
}

/** @throws {InvalidSignature} */
function requireIdentity(
  identity: string | undefined,
  allowed: readonly PathMatcher[] | undefined,
): void {
  if (allowed === undefined || identity !== undefined && allowed.some((it) => it(identity))) return;
  throw new InvalidSignature(`${identity ?? "somebody without a name"} is not trusted`);
}
