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
import type { SignedInPerson } from "../../core/console_sessions.ts";
import { boundedKeys, boundedVerifier, PersonCallers } from "../../core/people/callers.ts";
import type { RightsOf } from "../../core/people/rights.ts";
import type { Log } from "../../core/log.ts";
import { withShortCredentials } from "../../core/short_credentials.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { Storage } from "../../storage/stores/storage.ts";
import { loadSettings } from "../environment.ts";
import { signingKey } from "../signing_key.ts";
import { withSettingContext } from "../usage_error.ts";
import type { ServerParts } from "./compose.ts";
import type { Reloads } from "./reload.ts";
import { reloadedRights } from "./rights.ts";

type Credentials = Pick<
  ServerParts,
  | "verify"
  | "findAccessKey"
  | "isOver"
  | "sign"
  | "makeAccessKey"
  | "findKeyProblem"
  | "callerOfPerson"
  | "keyId"
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
  const { people } = storage.records;
  const parts = { uses, rightsOf: await reloadedRights(settings, people, { log, reloads }) };
  let current = await credentialsOf(settings, storage, log, parts);
  if (current.findKeyProblem !== undefined) return current;
  reloads.add(async () => {
    const { jwtSecret, jwtSecretPrevious } = loadSettings(() => {});
    const read = { ...settings, jwtSecret, jwtSecretPrevious };
    current = await credentialsOf(read, storage, log, parts);
  });
  const verify: VerifyCredential = (...given) => current.verify(...given);
  const isOver: IsOver = (credential) => current.isOver(credential);
  const findAccessKey: FindAccessKey = (id) => current.findAccessKey(id);
  const callerOfPerson: Credentials["callerOfPerson"] = (person) => current.callerOfPerson(person);
  const reloaded = { verify, findAccessKey, isOver, callerOfPerson, keyId: () => current.keyId() };
  if (current.sign === undefined || current.makeAccessKey === undefined) return reloaded;
  const { sign: first, makeAccessKey: firstMaker } = current;
  const sign: SignCredential = (...given) => (current.sign ?? first)(...given);
  const makeAccessKey: MakeAccessKey = () => (current.makeAccessKey ?? firstMaker)();
  return { ...reloaded, sign, makeAccessKey };
}

async function credentialsOf(
  settings: Settings,
  { records: { credentials: store, people } }: Storage,
  log: Log,
  { uses, rightsOf }: { readonly uses: LastUses; readonly rightsOf: RightsOf },
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
  const callers = new PersonCallers({ people, rightsOf });
  const parts = {
    findAccessKey: boundedKeys(accessKeyFinder(key, registered), callers),
    isOver,
    // What a person makes stands or falls with the present key, and its session with that of its own.
    callerOfPerson: async (person: SignedInPerson) => ({
      ...await callers.signedIn(person, isOver),
      keyId: known[0],
    }),
    keyId: () => known[0],
  };
  const withShort = (verify: VerifyCredential) =>
    boundedVerifier(withShortCredentials(verify, registered), callers);
  if (key.kind !== "publicKey") {
    const verify = withShort(await credentialVerifier({ key, issuer, audience, isRevoked }));
    return key.kind === "jwks"
      ? { ...parts, verify, findKeyProblem: () => key.keys.findProblem() }
      : {
        ...parts,
        verify,
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
  return { ...parts, verify };
}
