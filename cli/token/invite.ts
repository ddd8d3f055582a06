import { AppError } from "../../core/errors.ts";
import { INVITATION_MS, invitationUrl, invite } from "../../core/people/invitations.ts";
import { personDetails } from "../../core/people/entries.ts";
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
  const { person, isNew, token } = await withServerRegister(settings, async (register) => {
    try {
      const invited = await knownOrAdded(register, name, group);
      return { ...invited, ...await invite(register.signIns, invited.person) };
    } catch (error) {
      throw error instanceof AppError ? new UsageError(error.message) : error;
    }
  });
  const { number: tree } = person;
  if (isNew) {
    await recordAudit(settings, { action: "users.add", tree, details: personDetails(person) });
  }
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
): Promise<{ readonly person: Person; readonly isNew: boolean }> {
  const known = await findNamed(people, name);
  if (known === undefined) {
    const added = { kind: "person", name, groups: groups ?? [MEMBERS] } as const;
    return { person: await addPerson(people, added), isNew: true };
  }
  if (known.kind === "team") throw new UsageError(`"${name}" is a team, which nobody signs in as`);
  if (groups === undefined) return { person: known, isNew: false };
  throw new UsageError(
    `"${name}" is known already: change its groups with strongroom user groups, or invite it without --group`,
  );
}
