import * as v from "valibot";
import { JwtId } from "../../schemas/credentials.ts";
import { parseArguments } from "../arguments.ts";
import { loadSettings } from "../environment.ts";
import { print } from "../print.ts";
import { UsageError } from "../usage_error.ts";
import { recordAudit } from "./record_audit.ts";
import { withServerRegister } from "./server_register.ts";

/** `strongroom token revoke JTI`: makes servers refuse a credential from now on (C 22). */
export async function revoke(args: string[]): Promise<number> {
  const { positionals } = parseArguments({
    args,
    options: {},
    strict: true,
    allowPositionals: true,
  });
  const [given, ...others] = positionals;
  const jti = v.safeParse(JwtId, given);
  if (!jti.success || others.length > 0) {
    throw new UsageError("token revoke needs one argument: the jti of a credential");
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
