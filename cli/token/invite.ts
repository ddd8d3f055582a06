import { AppError } from "../../core/errors.ts";
import { INVITATION_MS, invitationUrl, invite } from "../../core/people/invitations.ts";
import { addPerson, findNamed } from "../../core/people/people.ts";
import { MEMBERS } from "../../core/people/rights.ts";
import type { Person } from "../../core/people/store.ts";
import type { CredentialRegister } from "../../storage/tables/credential_register.ts";
import { parseArguments } from "../arguments.ts";
import { loadSettings } from "../environment.ts";
import { printNote } from "../output.ts";
import { print } from "../print.ts";
import { serverAddress } from "../server_address.ts";
import { UsageError } from "../usage_error.ts";
import { requireGroups } from "./named_user.ts";
import { recordAudit } from "./record_audit.ts";
import { withServerRegister } from "./server_register.ts";

/**
 * `strongroom invite`: prints a link by which a person makes a passkey (C 27). Adds the person, unless it is known
 * already.
 */
export async function run(args: string[]): Promise<number> {
  const { positionals, values: { group } } = parseArguments({
    args,
    options: { group: { type: "string", multiple: true } },
    strict: true,
    allowPositionals: true,
  });
  requireGroups("--group", group ?? []);
  const [name, ...others] = positionals;
  if (name === undefined || others.length > 0) {
    throw new UsageError("invite needs one argument: the name of a person");
  }
  const settings = loadSettings();
  if (settings.console === "off") {
    throw new UsageError("STRONGROOM_CONSOLE is off: nobody could open the invitation");
  }
  const { person, token } = await withServerRegister(settings, async (register) => {
    try {
      const invited = await knownOrAdded(register, name, group);
      return { person: invited, ...await invite(register.signIns, invited) };
    } catch (error) {
      throw error instanceof AppError ? new UsageError(error.message) : error;
    }
  });
  const { number: tree } = person;
  await recordAudit(settings, { action: "users.invite", tree, details: { name: person.name } });
  print(invitationUrl(serverAddress(settings), token));
  printNote(
    `For ${person.name} (user ${tree}), once, within ${
      INVITATION_MS / 3_600_000
    } hours: who opens it first ` +
      "makes a passkey for this person",
  );
  return 0;
}

async function knownOrAdded(
  { people }: Pick<CredentialRegister, "people">,
  name: string,
  groups: readonly string[] | undefined,
): Promise<Person> {
  const known = await findNamed(people, name);
  if (known === undefined) {
    return await addPerson(people, { kind: "person", name, groups: groups ?? [MEMBERS] });
  }
  if (known.kind === "team") throw new UsageError(`"${name}" is a team, which nobody signs in as`);
  if (groups === undefined) return known;
  throw new UsageError(
    `"${name}" is known already: change its groups with strongroom user groups, or invite it without --group`,
  );
}
