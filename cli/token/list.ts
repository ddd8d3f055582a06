import type { RegisteredCredential } from "../../core/credential_store.ts";
import { parseOptions } from "../arguments.ts";
import { loadSettings } from "../environment.ts";
import { print } from "../print.ts";
import { withServerRegister } from "./server_register.ts";

/** `strongroom token list`: prints the credentials that were minted or revoked, not the tokens (C 22). */
export async function list(args: string[]): Promise<number> {
  const { json } = parseOptions(args, { json: { type: "boolean", default: false } });
  const now = Date.now();
  await withServerRegister(loadSettings(), async (register) => {
    for await (const credential of register.list()) {
      print(json ? JSON.stringify(entryOf(credential)) : lineOf(credential, now));
    }
  });
  return 0;
}

function entryOf(credential: RegisteredCredential) {
  const { jti, userId, privileges, trees, mintedAt, expiresAt, revokedAt, label, short } =
    credential;
  return {
    jti,
    user_id: userId,
    privileges,
    trees,
    minted_at: timeText(mintedAt),
    expires_at: timeText(expiresAt),
    revoked_at: timeText(revokedAt),
    label,
    short: short && {
      last_used_at: timeText(short.usedAt),
      access_key_id: short.accessKeyId,
    },
  };
}

function lineOf(credential: RegisteredCredential, now: number): string {
  const { jti, userId, privileges, trees, expiresAt, revokedAt, label, short } = credential;
  const state = revokedAt !== undefined
    ? `revoked ${timeText(revokedAt)}`
    : expiresAt !== undefined && expiresAt < now
    ? `expired ${timeText(expiresAt)}`
    : `valid until ${timeText(expiresAt)}`;
  const user = userId === undefined ? "of another issuer" : `user ${userId}`;
  // The jti of another issuer may have any characters.
  const shownJti = /^[\w.~-]+$/.test(jti) ? jti : JSON.stringify(jti);
  const others = Object.entries(trees).map(([tree, held]) => `tree ${tree}: ${held.join()}`);
  const use = short?.usedAt === undefined ? "never" : timeText(short.usedAt);
  const parts = [
    ...[shownJti, user, state, privileges.join(), ...others],
    ...label === undefined ? [] : [JSON.stringify(label)],
    ...short === undefined ? [] : [`${short.accessKeyId ?? "hf_…"}, last used: ${use}`],
  ];
  return parts.filter((part) => part !== "").join("  ");
}

function timeText(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}
