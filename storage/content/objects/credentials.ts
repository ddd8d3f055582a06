import { textsOf } from "./xml.ts";

/** What signs requests to an object store. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** What signs the next request. */
type CurrentCredentials = () => Promise<S3Credentials>;

/** Where credentials come from. */
export type CredentialSource = GivenKeys | InstanceRole | WebIdentity;

/** Keys that may be replaced. */
export interface GivenKeys {
  readonly kind: "keys";
  readonly read: () => S3Credentials;
}

/** The role of the machine, by version 2 of its metadata. */
export interface InstanceRole {
  readonly kind: "instance";
  /** Where the metadata is, such as `http://169.254.169.254`. */
  readonly url: string;
}

/** A role that a web identity may take (`AssumeRoleWithWebIdentity`). */
export interface WebIdentity {
  readonly kind: "web-identity";
  /** The service that lends credentials: STS, or that of a store. */
  readonly url: string;
  readonly roleArn: string;
  /** Reads the token that the platform renews. */
  readonly readToken: () => string;
}

/** Credentials, and until when they are valid, in milliseconds since the Unix epoch. */
interface Lent {
  readonly credentials: S3Credentials;
  readonly expiresAt: number;
}

/** How often files are read again. */
const FILES_MS = 10_000;
/** How long before their end credentials are renewed. */
const MARGIN_MS = 300_000;
/** How long to wait after a renewal that has failed. */
const RETRY_MS = 10_000;
/** How long whoever lends credentials may take. */
const TIMEOUT_MS = 5000;
/** How long a token of the metadata of an instance is valid: it is asked for anew each time. */
const TOKEN_S = 60;
const METADATA = "latest/meta-data/iam/security-credentials/";

const known = new WeakMap<CredentialSource, CurrentCredentials>();

/** The credentials of a source. They are kept until they are due: all who use the source share them. */
export function currentCredentials(source: CredentialSource): CurrentCredentials {
  const current = known.get(source) ?? credentialsOf(source);
  known.set(source, current);
  return current;
}

function credentialsOf(source: CredentialSource): CurrentCredentials {
  switch (source.kind) {
    case "keys":
      return credentialsOfKeys(source);
    case "instance":
      return credentialsOfInstance(source);
    case "web-identity":
      return credentialsOfWebIdentity(source);
  }
}

function credentialsOfKeys({ read }: GivenKeys): CurrentCredentials {
  return renewed(
    () => Promise.resolve({ credentials: read(), expiresAt: Infinity }),
    () => Date.now() + FILES_MS,
  );
}

function credentialsOfInstance({ url }: InstanceRole): CurrentCredentials {
  return renewed(async () => {
    const token = await ask(new URL("latest/api/token", url), {
      method: "PUT",
      headers: { "X-aws-ec2-metadata-token-ttl-seconds": String(TOKEN_S) },
    });
    const get = (path: string) =>
      ask(new URL(path, url), { headers: { "X-aws-ec2-metadata-token": token } });
    const [role = ""] = (await get(METADATA)).split("\n");
    const text = await get(`${METADATA}${encodeURIComponent(role.trim())}`);
    const lent: unknown = JSON.parse(text);
    const field = (name: string) => {
      const value = typeof lent === "object" && lent !== null && Object.entries(lent)
        .find(([key]) => key === name)?.[1];
      return typeof value === "string" ? value : undefined;
    };
    return lentOf(url, {
      accessKeyId: field("AccessKeyId"),
      secretAccessKey: field("SecretAccessKey"),
      sessionToken: field("Token"),
      expiration: field("Expiration"),
    });
  });
}

function credentialsOfWebIdentity(
  { url, roleArn, readToken }: WebIdentity,
): CurrentCredentials {
  return renewed(async () => {
    const xml = await ask(new URL(url), {
      method: "POST",
      body: new URLSearchParams({
        Action: "AssumeRoleWithWebIdentity",
        Version: "2011-06-15",
        RoleArn: roleArn,
        RoleSessionName: "strongroom",
        WebIdentityToken: readToken(),
      }),
    });
    const [credentials = ""] = textsOf(xml, "Credentials");
    const field = (name: string) => textsOf(credentials, name)[0];
    return lentOf(url, {
      accessKeyId: field("AccessKeyId"),
      secretAccessKey: field("SecretAccessKey"),
      sessionToken: field("SessionToken"),
      expiration: field("Expiration"),
    });
  });
}

/** Keeps credentials until they are due, and longer if they cannot be renewed but are valid. */
function renewed(
  lend: () => Promise<Lent>,
  dueAt = ({ expiresAt }: Lent) => expiresAt - MARGIN_MS,
): CurrentCredentials {
  let kept: Lent | undefined;
  let due = -Infinity;
  let renewing: Promise<Lent> | undefined;
  const renew = async () => {
    try {
      kept = await lend();
      due = Math.max(dueAt(kept), Date.now() + RETRY_MS);
      return kept;
    } catch (error) {
      if (kept === undefined || kept.expiresAt <= Date.now()) throw error;
      due = Date.now() + RETRY_MS;
      return kept;
    } finally {
      renewing = undefined;
    }
  };
  return async () => {
    const now = Date.now();
    if (kept !== undefined && now < due && now < kept.expiresAt) return kept.credentials;
    return (await (renewing ??= renew())).credentials;
  };
}

interface LentFields {
  readonly accessKeyId: string | undefined;
  readonly secretAccessKey: string | undefined;
  readonly sessionToken: string | undefined;
  readonly expiration: string | undefined;
}

/** @throws {Error} when a field is missing. */
function lentOf(
  url: string,
  { accessKeyId, secretAccessKey, sessionToken, expiration = "" }: LentFields,
): Lent {
  const expiresAt = Date.parse(expiration);
  if (
    accessKeyId === undefined || secretAccessKey === undefined || sessionToken === undefined ||
    Number.isNaN(expiresAt)
  ) {
    throw new Error(`${url} lent no credentials`);
  }
  return { credentials: { accessKeyId, secretAccessKey, sessionToken }, expiresAt };
}

/** @throws {Error} when the reply is not one of success, or does not come in time. */
async function ask(url: URL, request: RequestInit): Promise<string> {
  const response = await fetch(url, {
    ...request,
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await response.text();
  if (response.ok) return text;
  const [reason = ""] = textsOf(text, "Message");
  throw new Error(
    `${url.origin} lends no credentials: ${response.status}${reason && ` (${reason})`}`,
  );
}
