import * as v from "valibot";
import { PRIVILEGES } from "../../core/caller.ts";
import { mintCredential } from "../../core/credentials.ts";
import { TimeToLive, type TreePrivileges, UserId } from "../../schemas/credentials.ts";
import { parseOptions } from "../arguments.ts";
import { loadSettings, printError } from "../environment.ts";
import type { Settings } from "../../schemas/settings.ts";
import { databasePath } from "../../storage/disk/data_directory.ts";
import { orMissing } from "../../storage/disk/files.ts";
import { withRegister } from "../../storage/open_register.ts";
import { recordAudit } from "./record_audit.ts";
import { signingKey } from "../signing_key.ts";
import { UsageError } from "../usage_error.ts";

/** `strongroom token`: prints a new credential (C 10), and records it without the token (C 22). */
export async function mint(args: string[]): Promise<number> {
  const request = tokenRequest(args);
  const settings = loadSettings();
  const key = await signingKey(settings);
  if (key.kind !== "secret") {
    throw new UsageError("Cannot mint a credential: only the holder of the private key can");
  }
  const { jwtIssuer: issuer, jwtAudience: audience } = settings;
  const jti = crypto.randomUUID();
  const token = await mintCredential({ ...request, jti, secret: key.secret, issuer, audience });
  await record(settings, { ...request, jti });
  console.log(token);
  return 0;
}

/** Records a credential, so that it can be listed and revoked. */
async function record(
  settings: Settings,
  { userId, privileges, trees, ttlSeconds, jti }: TokenRequest & { readonly jti: string },
): Promise<void> {
  const { dataDir, diskReserveMb: reserveMB, jwtSecret } = settings;
  if (jwtSecret !== undefined && !await exists(databasePath(dataDir))) {
    // The server is on another machine, or has not been started yet.
    printError(
      `The credential is not recorded, as "${dataDir}" has no database; its jti is ${jti}`,
    );
    return;
  }
  const mintedAt = Date.now();
  const expiresAt = mintedAt + ttlSeconds * 1000;
  await withRegister(
    dataDir,
    { reserveMB },
    (register) => register.add({ jti, userId, privileges, trees, mintedAt, expiresAt }),
  );
  const details = {
    jti,
    privileges: privileges.join(),
    trees: Object.keys(trees).length === 0 ? undefined : JSON.stringify(trees),
    expires_at: new Date(expiresAt).toISOString(),
  };
  await recordAudit(settings, { action: "token.mint", tree: userId, details });
}

async function exists(path: string): Promise<boolean> {
  return await orMissing(Deno.lstat(path)) !== undefined;
}

interface TokenRequest {
  readonly userId: number;
  readonly privileges: readonly string[];
  readonly trees: TreePrivileges;
  readonly ttlSeconds: number;
  readonly quota: number | undefined;
}

function tokenRequest(args: string[]): TokenRequest {
  const { user, privileges = "", admin, tree = [], ttl, quota } = parseOptions(args, {
    user: { type: "string" },
    privileges: { type: "string" },
    admin: { type: "boolean" },
    tree: { type: "string", multiple: true },
    ttl: { type: "string", default: "1h" },
    quota: { type: "string" },
  });
  const userId = v.safeParse(UserId, user);
  if (!userId.success) {
    throw new UsageError(`--user must be an id from 1 to 2^53 − 1, not "${user}"`);
  }
  const ttlSeconds = v.safeParse(TimeToLive, ttl);
  if (!ttlSeconds.success) {
    throw new UsageError(`--ttl must be a duration such as 90s, 15m, 1h or 30d, not "${ttl}"`);
  }
  const held = [...parsePrivileges(privileges), ...admin ? ["resources.admin"] : []];
  const trees = parseTrees(tree);
  if (held.length === 0 && tree.length === 0) {
    throw new UsageError("--privileges, --admin or --tree is required");
  }
  if (quota !== undefined && !/^\d{1,15}$/.test(quota)) {
    throw new UsageError(`--quota must be a number of bytes, not "${quota}"`);
  }
  return {
    userId: userId.output,
    privileges: held,
    trees,
    ttlSeconds: ttlSeconds.output,
    quota: quota === undefined ? undefined : Number(quota),
  };
}

/** The privileges that concern a tree. The others are not looked at in one. */
const TREE_PRIVILEGES: readonly string[] = PRIVILEGES.filter((name) =>
  /^(resources|scans)\./.test(name)
);

/** Parses options such as `7=view,download`, where `view` is short for `resources.view` (C 19). */
function parseTrees(given: readonly string[]): TreePrivileges {
  const trees = given.map((text): [string, string[]] => {
    const [user, list = "", ...more] = text.split("=");
    const names = namesIn(list).map((name) => name.includes(".") ? name : `resources.${name}`);
    if (!v.is(UserId, user) || names.length === 0 || more.length > 0) {
      throw new UsageError(`--tree must be a user id and privileges such as 7=view, not "${text}"`);
    }
    const unknown = names.find((name) => !TREE_PRIVILEGES.includes(name));
    if (unknown === undefined) return [user, names];
    throw new UsageError(
      `Unknown privilege "${unknown}" in --tree: expected some of ${TREE_PRIVILEGES.join(", ")}`,
    );
  });
  const repeated = trees.find(([user], index) => trees.findIndex(([it]) => it === user) < index);
  if (repeated === undefined) return Object.fromEntries(trees);
  throw new UsageError(`--tree names user ${repeated[0]} twice`);
}

function namesIn(list: string): string[] {
  return list.split(",").map((name) => name.trim()).filter((name) => name !== "");
}

function parsePrivileges(list: string): string[] {
  const names = namesIn(list);
  const unknown = names.find((name) => !PRIVILEGES.some((known) => known === name));
  if (unknown === undefined) return names;
  throw new UsageError(`Unknown privilege "${unknown}" in --privileges`);
}
