import { credentialEnd, type IsOver } from "../../core/credential_end.ts";
import {
  credentialSigner,
  credentialVerifier,
  keyIds,
  type SignCredential,
  type VerifyCredential,
} from "../../core/credentials.ts";
import {
  accessKeyFinder,
  type FindAccessKey,
  type MakeAccessKey,
  newAccessKey,
} from "../../core/s3/access_keys.ts";
import type { LastUses } from "../../core/last_uses.ts";
import type { Log } from "../../core/log.ts";
import { withShortCredentials } from "../../core/short_credentials.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { Storage } from "../../storage/stores/storage.ts";
import { loadSettings } from "../environment.ts";
import { signingKey } from "../signing_key.ts";
import { withSettingContext } from "../usage_error.ts";
import type { ServerParts } from "./compose.ts";
import type { Reloads } from "./reload.ts";

type Credentials = Pick<
  ServerParts,
  "verify" | "findAccessKey" | "isOver" | "sign" | "makeAccessKey" | "findKeyProblem"
>;

/**
 * What verifies and signs credentials (C 10), with the key that its file had at the last reload. Keys of an
 * address are fetched when they are needed anyway.
 *
 * @throws {UsageError} when the file of a public key cannot be read, or is not one.
 */
export async function reloadedCredentials(
  settings: Settings,
  storage: Storage,
  log: Log,
  { reloads, uses }: { readonly reloads: Reloads; readonly uses: LastUses },
): Promise<Credentials> {
  let current = await credentialsOf(settings, storage, log, uses);
  if (current.findKeyProblem !== undefined) return current;
  reloads.add(async () => {
    const { jwtSecret, jwtSecretPrevious } = loadSettings(() => {});
    const read = { ...settings, jwtSecret, jwtSecretPrevious };
    current = await credentialsOf(read, storage, log, uses);
  });
  const verify: VerifyCredential = (...given) => current.verify(...given);
  const isOver: IsOver = (credential) => current.isOver(credential);
  const findAccessKey: FindAccessKey = (id) => current.findAccessKey(id);
  if (current.sign === undefined || current.makeAccessKey === undefined) {
    return { verify, findAccessKey, isOver };
  }
  const { sign: first, makeAccessKey: firstMaker } = current;
  const sign: SignCredential = (...given) => (current.sign ?? first)(...given);
  const makeAccessKey: MakeAccessKey = () => (current.makeAccessKey ?? firstMaker)();
  return { verify, findAccessKey, isOver, sign, makeAccessKey };
}

async function credentialsOf(
  settings: Settings,
  { records: { credentials: store } }: Storage,
  log: Log,
  uses: LastUses,
): Promise<Credentials> {
  const { isRevoked } = store;
  const { jwtIssuer: issuer, jwtAudience: audience, jwtPublicKey = "" } = settings;
  const key = await signingKey(settings, () => {
    log.info(
      "Created a secret for credentials; mint one with: strongroom token --user 1 --admin",
    );
  });
  const known = keyIds(key);
  const isOver = credentialEnd(known, isRevoked);
  const registered = { store, isOver, keyId: known[0], uses };
  const findAccessKey = accessKeyFinder(key, registered);
  const withShort = (verify: VerifyCredential) => withShortCredentials(verify, registered);
  if (key.kind !== "publicKey") {
    const verify = withShort(await credentialVerifier({ key, issuer, audience, isRevoked }));
    return key.kind === "jwks"
      ? { verify, findAccessKey, isOver, findKeyProblem: () => key.keys.findProblem() }
      : {
        verify,
        findAccessKey,
        isOver,
        sign: credentialSigner({ secret: key.secret, issuer, audience }),
        makeAccessKey: () => newAccessKey(key.secret),
      };
  }
  const verify = withShort(
    await withSettingContext(
      "STRONGROOM_JWT_PUBLIC_KEY",
      jwtPublicKey,
      "a PEM file with an RSA key of 2048 bits or more, or a P-256 or Ed25519 key",
      () => credentialVerifier({ key, issuer, audience, isRevoked }),
    ),
  );
  return { verify, findAccessKey, isOver };
}
