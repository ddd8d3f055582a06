import { createHmac, createPublicKey } from "node:crypto";
import * as jose from "jose";
import * as v from "valibot";
import { Claims, type TreePrivileges } from "../schemas/credentials.ts";
import type { Caller } from "./caller.ts";
import type { IsRevoked } from "./credential_end.ts";
import { AppError, quoted } from "./errors.ts";
import { MIN_RSA_BITS, type RemoteKeys } from "./remote_keys.ts";
import { VerifiedCredentials } from "./verified_credentials.ts";

/** The key that credentials are verified with. Each kind accepts its own algorithms only (C 10). */
export type SigningKey =
  /** HS256. Credentials that the previous secret signed stay valid after a rotation. */
  | { readonly kind: "secret"; readonly secret: string; readonly previous?: string | undefined }
  /** RS256, ES256 or EdDSA, by the type of the PEM key (SPKI). */
  | { readonly kind: "publicKey"; readonly pem: string }
  /** RS256, ES256 or EdDSA, by the keys of an issuer. */
  | { readonly kind: "jwks"; readonly keys: RemoteKeys };

/** Options of {@link credentialVerifier}. */
export interface CredentialOptions {
  readonly key: SigningKey;
  /** The required `iss`. @default any */
  readonly issuer?: string | undefined;
  /** The required `aud`. @default any */
  readonly audience?: string | undefined;
  /** Called for each request. @default none is */
  readonly isRevoked?: IsRevoked | undefined;
}

/** The leeway for the clocks of issuers (C 10). */
export const LEEWAY_S = 30;

/**
 * A credential that a key of an issuer signed is verified again after this time, in milliseconds: the
 * issuer may withdraw the key.
 */
const MAX_REMOTE_AGE_MS = 30_000;

/** The accepted `typ` headers, in lower case (RFC 7519, 5.1; RFC 9068, 4). `application/` may precede. */
const TYPES: ReadonlySet<string> = new Set(["jwt", "at+jwt"]);

/**
 * Verifies a credential and returns its caller.
 *
 * @throws {AppError} `ErrAuthRequired` when the credential is invalid, `ErrUnavailable` when its key is
 *   unknown and the keys of its issuer cannot be fetched.
 */
export type VerifyCredential = (token: string) => Promise<Caller>;

/**
 * Creates a verifier of credentials (C 10).
 *
 * @throws {TypeError} when the public key is not RSA of 2048 bits or more, EC or Ed25519.
 */
export async function credentialVerifier(options: CredentialOptions): Promise<VerifyCredential> {
  const { resolvers, algorithms } = await verificationKey(options.key);
  const checks: jose.JWTVerifyOptions = {
    algorithms,
    clockTolerance: LEEWAY_S,
    requiredClaims: ["exp"],
    ...(options.issuer !== undefined && { issuer: options.issuer }),
    ...(options.audience !== undefined && { audience: options.audience }),
  };
  const verified = new VerifiedCredentials(
    options.key.kind === "jwks" ? MAX_REMOTE_AGE_MS : Infinity,
  );
  const ids = keyIds(options.key);
  const { isRevoked = () => false } = options;
  const unlessRevoked = async (caller: Caller) => {
    const revoked = isRevoked(caller);
    if (!(typeof revoked === "boolean" ? revoked : await revoked)) return caller;
    throw new AppError("ErrAuthRequired", "The credential has been revoked");
  };
  return async (token) => {
    const known = verified.find(token);
    if (known !== undefined) return await unlessRevoked(known);
    const { payload, protectedHeader, keyIndex } = await verifyWithAny(token, resolvers, checks);
    if (!isAcceptedType(protectedHeader.typ)) {
      throw new AppError("ErrAuthRequired", "The credential is of another type than JWT or at+jwt");
    }
    if (payload.iat !== undefined && payload.iat > Date.now() / 1000 + LEEWAY_S) {
      throw new AppError("ErrAuthRequired", "The credential was issued in the future");
    }
    const claims = v.safeParse(Claims, payload);
    if (claims.success) {
      const caller = {
        userId: claims.output.sub,
        privileges: new Set(claims.output.privileges),
        trees: claims.output.trees,
        jti: claims.output.jti,
        issuedAt: Math.max(0, Math.floor(payload.iat ?? 0)) * 1000 + claims.output.iat_ms,
        keyId: ids[keyIndex],
        isOutdated: keyIndex > 0,
        quota: claims.output.quota,
        isBound: claims.output.bound,
        expiresAt: ((payload.exp ?? 0) + LEEWAY_S) * 1000,
      };
      verified.keep(token, caller);
      return await unlessRevoked(caller);
    }
    const claim = String(claims.issues[0].path?.[0]?.key);
    throw new AppError("ErrAuthRequired", `The credential has an invalid claim: ${claim}`);
  };
}

interface Verified extends jose.JWTVerifyResult {
  /** Which of the keys has signed it. */
  readonly keyIndex: number;
}

/** Verifies a token with the first of the keys that signed it. */
async function verifyWithAny(
  token: string,
  [resolve, ...others]: VerificationKey["resolvers"],
  checks: jose.JWTVerifyOptions,
  keyIndex = 0,
): Promise<Verified> {
  try {
    return { ...await jose.jwtVerify(token, resolve, checks), keyIndex };
  } catch (error) {
    const [next, ...rest] = others;
    const isOtherKey = error instanceof jose.errors.JWSSignatureVerificationFailed;
    if (!isOtherKey || next === undefined) throw refusal(error);
    return await verifyWithAny(token, [next, ...rest], checks, keyIndex + 1);
  }
}

function isAcceptedType(type: unknown): boolean {
  if (type === undefined) return true;
  return typeof type === "string" && TYPES.has(type.toLowerCase().replace(/^application\//, ""));
}

/** What a credential states. */
export interface NewClaims {
  readonly userId: number;
  readonly privileges: readonly string[];
  /** The privileges in the trees of other users, by user (C 19). @default none */
  readonly trees?: TreePrivileges | undefined;
  /** When it expires, in seconds since the Unix epoch. */
  readonly expiresAt: number;
  /** The id of the credential. @default none: it cannot be revoked */
  readonly jti?: string | undefined;
  /** The quota of the user in bytes. @default that of the settings */
  readonly quota?: number | undefined;
  /** @default false */
  readonly isBound?: boolean;
}

/** Makes a credential. */
export type SignCredential = (claims: NewClaims) => Promise<string>;

/** Options of {@link credentialSigner}. */
export interface SignerOptions extends Pick<CredentialOptions, "issuer" | "audience"> {
  readonly secret: string;
}

/** Options of {@link mintCredential}. */
export interface MintOptions extends SignerOptions, Omit<NewClaims, "expiresAt"> {
  readonly ttlSeconds: number;
}

/** Mints a credential, signed with the secret (C 10). */
export function mintCredential(
  { secret, issuer, audience, ttlSeconds, ...claims }: MintOptions,
): Promise<string> {
  const sign = credentialSigner({ secret, issuer, audience });
  return sign({ ...claims, expiresAt: Math.floor(Date.now() / 1000) + ttlSeconds });
}

/** What signs credentials with the secret (C 10). */
export function credentialSigner(options: SignerOptions): SignCredential {
  return (claims) => signed(claims, options);
}

function signed(
  { userId, privileges, trees, expiresAt, jti, quota, isBound = false }: NewClaims,
  { secret, issuer, audience }: SignerOptions,
): Promise<string> {
  const now = Date.now();
  const token = new jose.SignJWT({
    // One that is minted just after a revocation of all of the user's is valid (C 31).
    iat_ms: now % 1000,
    privileges: [...privileges],
    ...(trees !== undefined && { trees }),
    ...(quota !== undefined && { quota }),
    ...(isBound && { bound: true }),
  })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setSubject(String(userId))
    .setIssuedAt(new Date(now))
    .setExpirationTime(expiresAt);
  if (jti !== undefined) token.setJti(jti);
  if (issuer !== undefined) token.setIssuer(issuer);
  if (audience !== undefined) token.setAudience(audience);
  return token.sign(new TextEncoder().encode(secret));
}

interface VerificationKey {
  /** Tried in this order. */
  readonly resolvers: readonly [jose.JWTVerifyGetKey, ...jose.JWTVerifyGetKey[]];
  readonly algorithms: string[];
}

async function verificationKey(key: SigningKey): Promise<VerificationKey> {
  switch (key.kind) {
    case "secret": {
      const secret = await importSecret(key.secret);
      const previous = key.previous === undefined ? undefined : await importSecret(key.previous);
      return {
        resolvers: [() => secret, ...previous === undefined ? [] : [() => previous]],
        algorithms: ["HS256"],
      };
    }
    case "publicKey": {
      const algorithm = algorithmOf(key.pem);
      const publicKey = await jose.importSPKI(key.pem, algorithm);
      return { resolvers: [() => publicKey], algorithms: [algorithm] };
    }
    case "jwks":
      return { resolvers: [key.keys.find], algorithms: ["RS256", "ES256", "EdDSA"] };
  }
}

/**
 * The ids of the keys of a server, that of the present one first. The database and signed addresses have
 * them: they reveal nothing of a strong secret.
 */
export function keyIds(key: SigningKey): readonly string[] {
  switch (key.kind) {
    case "secret":
      return [key.secret, ...key.previous === undefined ? [] : [key.previous]].map(keyIdOf);
    case "publicKey":
      return [keyIdOf(key.pem)];
    case "jwks":
      // An issuer replaces its keys as it likes.
      return [];
  }
}

function keyIdOf(key: string): string {
  return createHmac("sha256", key).update("the id of this key").digest("hex").slice(0, 16);
}

/** Imports a secret once. jose would import raw bytes again for each credential. */
function importSecret(secret: string): Promise<CryptoKey> {
  const bytes = new TextEncoder().encode(secret);
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, [
    "verify",
  ]);
}

/** The only algorithm that a public key accepts. */
function algorithmOf(pem: string): string {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = createPublicKey(pem);
  switch (type) {
    case "rsa":
      if ((details?.modulusLength ?? 0) < MIN_RSA_BITS) {
        throw new TypeError(
          `The public key has ${details?.modulusLength} bits (minimum: ${MIN_RSA_BITS})`,
        );
      }
      return "RS256";
    case "ec":
      return "ES256";
    case "ed25519":
      return "EdDSA";
    default:
      throw new TypeError(`Unsupported public key type ${type}: expected rsa, ec or ed25519`);
  }
}

/** The codes of jose's errors that the credential causes. Others are failures to fetch a key. */
const CREDENTIAL_FAULTS: ReadonlySet<string> = new Set([
  jose.errors.JOSEAlgNotAllowed.code,
  jose.errors.JOSENotSupported.code,
  jose.errors.JWKSMultipleMatchingKeys.code,
  jose.errors.JWKSNoMatchingKey.code,
  jose.errors.JWSInvalid.code,
  jose.errors.JWSSignatureVerificationFailed.code,
  jose.errors.JWTInvalid.code,
]);

/** The error for the caller, which may name a claim and never contains the token. */
function refusal(error: unknown): unknown {
  const refused = (reason: string) =>
    new AppError("ErrAuthRequired", `The credential ${reason}`, { cause: error });
  if (error instanceof jose.errors.JWTExpired) return refused("has expired");
  if (error instanceof jose.errors.JWTClaimValidationFailed) {
    return refused(`has an invalid claim: ${quoted(error.claim)}`);
  }
  const faulty = error instanceof jose.errors.JOSEError && CREDENTIAL_FAULTS.has(error.code);
  return faulty ? refused("is invalid") : error;
}
