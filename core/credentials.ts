import { createPublicKey } from "node:crypto";
import * as jose from "jose";
import * as v from "valibot";
import { Claims } from "../schemas/credentials.ts";
import type { Caller } from "./caller.ts";
import { AppError, quoted } from "./errors.ts";

/** What credentials are signed with; each kind accepts its own algorithms and no other (C 10). */
export type SigningKey =
  /** HS256. */
  | { readonly kind: "secret"; readonly secret: string }
  /** RS256, ES256 or EdDSA, as the PEM key (SPKI) says. */
  | { readonly kind: "publicKey"; readonly pem: string }
  /** RS256, ES256 or EdDSA, as the keys at the address say. */
  | { readonly kind: "jwks"; readonly url: string };

export interface CredentialOptions {
  readonly key: SigningKey;
  /** The `iss` that a credential must have; left out, any. */
  readonly issuer?: string | undefined;
  /** The `aud` that a credential must have; left out, any. */
  readonly audience?: string | undefined;
}

/** How far the clock of an issuer may be off, in seconds (C 10). */
const LEEWAY_S = 30;

/** Checks a credential and says whose it is. Throws `ErrAuthRequired` where it is not valid. */
export type VerifyCredential = (token: string) => Promise<Caller>;

/**
 * Prepares the check of credentials (C 10).
 *
 * @throws {TypeError} where the public key is none of the accepted kinds.
 */
export async function credentialVerifier(options: CredentialOptions): Promise<VerifyCredential> {
  const { resolve, algorithms } = await verificationKey(options.key);
  const checks: jose.JWTVerifyOptions = {
    algorithms,
    clockTolerance: LEEWAY_S,
    requiredClaims: ["exp"],
    ...(options.issuer !== undefined && { issuer: options.issuer }),
    ...(options.audience !== undefined && { audience: options.audience }),
  };
  return async (token) => {
    const { payload } = await jose.jwtVerify(token, resolve, checks).catch((error) => {
      throw refusal(error);
    });
    if (payload.iat !== undefined && payload.iat > Date.now() / 1000 + LEEWAY_S) {
      throw new AppError("ErrAuthRequired", "The credential was issued in the future");
    }
    const claims = v.safeParse(Claims, payload);
    if (claims.success) {
      return {
        userId: claims.output.sub,
        privileges: new Set(claims.output.privileges),
        expiresAt: ((payload.exp ?? 0) + LEEWAY_S) * 1000,
      };
    }
    const claim = String(claims.issues[0].path?.[0]?.key);
    throw new AppError("ErrAuthRequired", `The claim ${claim} of the credential is not valid`);
  };
}

export interface MintOptions extends Omit<CredentialOptions, "key"> {
  readonly secret: string;
  readonly userId: number;
  readonly privileges: readonly string[];
  readonly ttlSeconds: number;
}

/** Makes a credential signed with the secret (C 10). */
export function mintCredential(options: MintOptions): Promise<string> {
  const { secret, userId, privileges, ttlSeconds, issuer, audience } = options;
  const now = Math.floor(Date.now() / 1000);
  const token = new jose.SignJWT({ privileges: [...privileges] })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setSubject(String(userId))
    .setIssuedAt(now)
    .setExpirationTime(now + ttlSeconds);
  if (issuer !== undefined) token.setIssuer(issuer);
  if (audience !== undefined) token.setAudience(audience);
  return token.sign(new TextEncoder().encode(secret));
}

interface VerificationKey {
  readonly resolve: jose.JWTVerifyGetKey;
  readonly algorithms: string[];
}

async function verificationKey(key: SigningKey): Promise<VerificationKey> {
  switch (key.kind) {
    case "secret": {
      // Imported once; given the bytes, jose would import them for each credential.
      const secret = await crypto.subtle.importKey(
        "raw",
        new TextEncoder().encode(key.secret),
        { name: "HMAC", hash: "SHA-256" },
        false,
        ["verify"],
      );
      return { resolve: () => secret, algorithms: ["HS256"] };
    }
    case "publicKey": {
      const algorithm = algorithmOf(key.pem);
      const publicKey = await jose.importSPKI(key.pem, algorithm);
      return { resolve: () => publicKey, algorithms: [algorithm] };
    }
    case "jwks":
      return {
        resolve: jose.createRemoteJWKSet(new URL(key.url)),
        algorithms: ["RS256", "ES256", "EdDSA"],
      };
  }
}

/** The one algorithm that is accepted with a public key. */
function algorithmOf(pem: string): string {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = createPublicKey(pem);
  switch (type) {
    case "rsa":
      // RFC 7518, 3.3; with fewer every credential would fail.
      if ((details?.modulusLength ?? 0) < 2048) {
        throw new TypeError(`The public key has ${details?.modulusLength} bits, fewer than 2048`);
      }
      return "RS256";
    case "ec":
      return "ES256";
    case "ed25519":
      return "EdDSA";
    default:
      throw new TypeError(`The public key is of the kind ${type}, not rsa, ec or ed25519`);
  }
}

/** What jose says where the credential, and not a key that can't be had, is at fault. */
const CREDENTIAL_FAULTS: ReadonlySet<string> = new Set([
  jose.errors.JOSEAlgNotAllowed.code,
  jose.errors.JOSENotSupported.code,
  jose.errors.JWKSMultipleMatchingKeys.code,
  jose.errors.JWKSNoMatchingKey.code,
  jose.errors.JWSInvalid.code,
  jose.errors.JWSSignatureVerificationFailed.code,
  jose.errors.JWTInvalid.code,
]);

/** What the caller hears: it may name a claim, and never holds the token. */
function refusal(error: unknown): unknown {
  const refused = (why: string) =>
    new AppError("ErrAuthRequired", `The credential ${why}`, { cause: error });
  if (error instanceof jose.errors.JWTExpired) return refused("has expired");
  if (error instanceof jose.errors.JWTClaimValidationFailed) {
    return refused(`is refused for its claim ${quoted(error.claim)}`);
  }
  const faulty = error instanceof jose.errors.JOSEError && CREDENTIAL_FAULTS.has(error.code);
  return faulty ? refused("is not valid") : error;
}
