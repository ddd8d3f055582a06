import * as v from "valibot";
import { isoTime } from "../../core/entries.ts";
import { AppError } from "../../core/errors.ts";
import { revokeUser } from "../../core/people/revoke_user.ts";
import { JwtId } from "../../schemas/credentials.ts";
import { parseArguments } from "../arguments.ts";
import { loadSettings } from "../environment.ts";
import { print } from "../print.ts";
import { UsageError } from "../usage_error.ts";
import { recordAudit } from "./record_audit.ts";
import { withServerRegister } from "./server_register.ts";

/**
 * `strongroom token revoke`: makes servers refuse a credential, or those of a user, from now on (C 22,
 * C 31).
 */
export async function revoke(args: string[]): Promise<number> {
  const { positionals, values: { user, before } } = parseArguments({
    args,
    options: { user: { type: "string" }, before: { type: "string" } },
    strict: true,
    allowPositionals: true,
  });
  if (user !== undefined && positionals.length === 0) return await revokeAllOf(user, before);
  const [given, ...others] = positionals;
  const jti = v.safeParse(JwtId, given);
  if (!jti.success || others.length > 0 || user !== undefined || before !== undefined) {
    throw new UsageError(
      "token revoke needs one argument: the jti of a credential, or else --user and an id, with " +
        "--before and a time if you like",
    );
  }
  const settings = loadSettings();
  const isNew = await withServerRegister(
    settings,
    async (register) => await register.revoke(jti.output, Date.now()),
  );
  await recordAudit(settings, { action: "token.revoke", details: { jti: jti.output } });
  print(isNew ? `Revoked ${jti.output}` : `${jti.output} was revoked before`);
  return 0;
}

async function revokeAllOf(user: string, before: string | undefined): Promise<number> {
  const settings = loadSettings();
  const revoked = await withServerRegister(settings, async (store) => {
    try {
      return await revokeUser({ store, people: store.people }, { user, before });
    } catch (error) {
      throw error instanceof AppError ? new UsageError(error.message) : error;
    }
  });
  const time = isoTime(revoked.before);
  const { userId: tree } = revoked;
  await recordAudit(settings, { action: "token.revoke", tree, details: { before: time } });
  print(`Revoked all credentials of user ${tree} that were issued before ${time}`);
  return 0;
}
