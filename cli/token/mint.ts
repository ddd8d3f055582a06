import * as v from "valibot";
import type { NewShortCredential } from "../../core/credential_store.ts";
import { keyIds, mintCredential } from "../../core/credentials.ts";
import { newShortToken, shortTokenSha256 } from "../../core/short_credentials.ts";
import type { Person } from "../../core/people/store.ts";
import { newAccessKey } from "../../core/s3/access_keys.ts";
import { isLabel } from "../../core/tokens.ts";
import {
  PRIVILEGES,
  TimeToLive,
  TREE_PRIVILEGES,
  type TreePrivileges,
  UserId,
} from "../../schemas/credentials.ts";
import { parseSize } from "../../schemas/units.ts";
import { parseOptions } from "../arguments.ts";
import { suggestion } from "../nearest.ts";
import { loadSettings } from "../environment.ts";
import { printNote } from "../output.ts";
import { print } from "../print.ts";
import { printError } from "../print_error.ts";
import type { Settings } from "../../schemas/settings.ts";
import { readJwtSecret } from "../../storage/disk/jwt_secret.ts";
import { isUser, userNumber } from "./named_user.ts";
import { recordAudit } from "./record_audit.ts";
import { hasDatabase, withServerRegister } from "./server_register.ts";
import { UsageError, withSettingContext } from "../usage_error.ts";

/** `strongroom token`: prints a new credential (C 10), and records it without the token (C 22). */
export async function mint(args: string[]): Promise<number> {
  const given = tokenRequest(args);
  const settings = loadSettings();
  const secret = await secretOf(settings);
  const request = { ...given, ...await numbersIn(settings, given) };
  const { jwtIssuer: issuer, jwtAudience: audience } = settings;
  const jti = crypto.randomUUID();
  const { form } = request;
  const accessKey = form === "s3" ? newAccessKey(secret) : undefined;
  const token = form === "hf" ? newShortToken() : accessKey?.id;
  const [keyId] = keyIds({ kind: "secret", secret });
  const short = token === undefined ? undefined : {
    tokenSha256: shortTokenSha256(token),
    keyId,
    accessKeyId: accessKey?.id,
  };
  await record(settings, { ...request, jti, short });
  if (accessKey === undefined) {
    print(token ?? await mintCredential({ ...request, jti, secret, issuer, audience }));
  } else {
    print(`AWS_ACCESS_KEY_ID=${accessKey.id}\nAWS_SECRET_ACCESS_KEY=${accessKey.secret}`);
  }
  const end = new Date(Date.now() + request.ttlSeconds * 1000).toISOString();
  printNote(`The credential is valid until ${end}; --ttl sets how long`);
  return 0;
}

/** The secret of the server. A new one would sign credentials that no server accepts. */
async function secretOf(
  { dataDir, jwtSecret, jwtPublicKey, jwksUrl }: Settings,
): Promise<string> {
  if (jwtPublicKey !== undefined || jwksUrl !== undefined) {
    throw new UsageError("Cannot mint a credential: only the holder of the private key can");
  }
  const secret = jwtSecret ?? await withSettingContext(
    "STRONGROOM_DATA_DIR",
    dataDir,
    "a directory that can be read",
    () => readJwtSecret(dataDir),
  );
  if (secret !== undefined) return secret;
  throw new UsageError(
    `No secret of a server in "${dataDir}": start the server once, or name its data directory with ` +
      "STRONGROOM_DATA_DIR, or its secret with STRONGROOM_JWT_SECRET",
  );
}

/** The numbers of the users that a request names. The database is asked for names alone. */
async function numbersIn(
  settings: Settings,
  { user, treesOf }: NamedUsers,
): Promise<Pick<TokenRequest, "userId" | "trees">> {
  const named = [user, ...treesOf.map(([tree]) => tree)];
  const numbers = named.every((it) => v.is(UserId, it))
    ? named.map(Number)
    : await withServerRegister(settings, async ({ people }) => {
      const found = [];
      for (const it of named) found.push(await userNumber(people, it));
      return found;
    });
  const [userId = 0, ...trees] = numbers;
  const repeated = trees.find((tree, index) => trees.indexOf(tree) < index);
  if (repeated !== undefined) throw new UsageError(`--tree names user ${repeated} twice`);
  return {
    userId,
    trees: Object.fromEntries(treesOf.map(([, names], index) => [String(trees[index]), names])),
  };
}

/** Records a credential, so that it can be listed and revoked. */
async function record(
  settings: Settings,
  { userId, privileges, trees, ttlSeconds, label, quota, jti, short }: TokenRequest & {
    readonly jti: string;
    readonly short: NewShortCredential | undefined;
  },
): Promise<void> {
  const { dataDir } = settings;
  // A short credential is nothing without its record: the register itself refuses then.
  if (short === undefined && !await hasDatabase(settings)) {
    // The server is on another machine, or has not been started yet.
    printError(
      `The credential is not recorded, as "${dataDir}" has no database; its jti is ${jti}`,
    );
    return;
  }
  const mintedAt = Date.now();
  const expiresAt = mintedAt + ttlSeconds * 1000;
  const minted = { jti, userId, privileges, trees, mintedAt, expiresAt, label, quota, short };
  const name = await withServerRegister(settings, async (register) => {
    const person = await register.people.findByNumber(userId);
    refuseHolder(person);
    await register.add(minted);
    return person?.name;
  });
  const details = {
    jti,
    privileges: privileges.join(),
    trees: Object.keys(trees).length === 0 ? undefined : JSON.stringify(trees),
    expires_at: new Date(expiresAt).toISOString(),
    label,
    short: short === undefined ? undefined : "yes",
    tree_name: name,
    access_key: short?.accessKeyId,
  };
  await recordAudit(settings, { action: "token.mint", tree: userId, details });
}

/** Refuses to mint for who can have no credential (C 27). */
function refuseHolder(person: Person | undefined): void {
  if (person?.kind === "team") {
    throw new UsageError(`"${person.name}" is a team, which has no credential: use --tree`);
  }
  if (person?.disabledAt === undefined) return;
  throw new UsageError(`"${person.name}" is disabled; see strongroom user enable`);
}

/** Users by number or name, as the options have them. */
interface NamedUsers {
  readonly user: string;
  readonly treesOf: readonly (readonly [tree: string, privileges: readonly string[]])[];
}

interface TokenRequest {
  readonly userId: number;
  readonly privileges: readonly string[];
  readonly trees: TreePrivileges;
  readonly ttlSeconds: number;
  readonly quota: number | undefined;
  readonly label: string | undefined;
  /** For clients of the model hub, or of S3. @default for the API */
  readonly form: "hf" | "s3" | undefined;
}

function tokenRequest(args: string[]): Omit<TokenRequest, "userId" | "trees"> & NamedUsers {
  const { user, privileges, admin, tree = [], ttl, quota, label, hf, s3 } = parseOptions(args, {
    user: { type: "string" },
    privileges: { type: "string" },
    admin: { type: "boolean" },
    tree: { type: "string", multiple: true },
    ttl: { type: "string", default: "1h" },
    quota: { type: "string" },
    label: { type: "string" },
    hf: { type: "boolean", default: false },
    s3: { type: "boolean", default: false },
  });
  if (user === undefined) {
    throw new UsageError("--user is required: a name, or the id of a user from 1 to 2^53 − 1");
  }
  if (!isUser(user)) {
    throw new UsageError(`--user must be a name, or an id from 1 to 2^53 − 1, not "${user}"`);
  }
  const ttlSeconds = v.safeParse(TimeToLive, ttl);
  if (!ttlSeconds.success) {
    throw new UsageError(`--ttl must be a duration such as 90s, 15m, 1h or 30d, not "${ttl}"`);
  }
  const named = privileges === undefined ? [] : parsePrivileges(privileges);
  const held = [...named, ...admin ? ["resources.admin"] : []];
  if (hf && s3) throw new UsageError("--hf and --s3 are two credentials: mint one after the other");
  const treesOf = tree.map(parseTree);
  if (held.length === 0 && tree.length === 0) {
    throw new UsageError("--privileges, --admin or --tree is required");
  }
  const quotaBytes = quota === undefined ? undefined : parseSize(quota);
  if (quota !== undefined && quotaBytes === undefined) {
    throw new UsageError(`--quota must be a size such as 5GiB, 300MB or 1000000, not "${quota}"`);
  }
  if (label !== undefined && !isLabel(label)) {
    throw new UsageError(`--label must have 1 to 100 characters in a line, not "${label}"`);
  }
  return {
    user,
    privileges: held,
    treesOf,
    ttlSeconds: ttlSeconds.output,
    quota: quotaBytes,
    label,
    form: s3 ? "s3" : hf ? "hf" : undefined,
  };
}

/** Parses an option such as `7=view,download`, where `view` is short for `resources.view` (C 19). */
function parseTree(text: string): [tree: string, privileges: string[]] {
  const [tree = "", list = "", ...more] = text.split("=");
  const names = namesIn(list).map((name) => name.includes(".") ? name : `resources.${name}`);
  if (!isUser(tree) || names.length === 0 || more.length > 0) {
    throw new UsageError(`--tree must be a user and privileges such as 7=view, not "${text}"`);
  }
  const unknown = names.find((name) => !TREE_PRIVILEGES.some((known) => known === name));
  if (unknown === undefined) return [tree, names];
  throw new UsageError(
    `Unknown privilege "${unknown}" in --tree: expected some of ${TREE_PRIVILEGES.join(", ")}`,
  );
}

function namesIn(list: string): string[] {
  return list.split(",").map((name) => name.trim()).filter((name) => name !== "");
}

function parsePrivileges(list: string): string[] {
  const names = namesIn(list);
  if (names.length === 0) {
    throw new UsageError(`--privileges must be a list such as resources.view, not "${list}"`);
  }
  const unknown = names.find((name) => !PRIVILEGES.some((known) => known === name));
  if (unknown === undefined) return names;
  throw new UsageError(
    `Unknown privilege "${unknown}" in --privileges${suggestion(unknown, PRIVILEGES)}`,
  );
}
