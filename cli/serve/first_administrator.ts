import type { AuditLog } from "../../core/audit.ts";
import { AppError } from "../../core/errors.ts";
import { personDetails } from "../../core/people/entries.ts";
import { invitationUrl, invite } from "../../core/people/invitations.ts";
import { addPerson, findNamed } from "../../core/people/people.ts";
import { ADMINS } from "../../core/people/rights.ts";
import type { Storage } from "../../storage/stores/storage.ts";

/** What the first person is called, until it is renamed. */
const NAME = "admin";

/**
 * The link by which the first administrator makes a passkey (C 27): a new one at each start, as long as nobody can
 * sign in. Undefined once somebody can, and if the name means somebody else. The audit log has both.
 */
export async function firstInvitation(
  { people, signIns }: Pick<Storage["records"], "people" | "signIns">,
  server: string,
  audit: Pick<AuditLog, "write">,
): Promise<string | undefined> {
  if (await signIns.hasPasskeys()) return undefined;
  const known = await findNamed(people, NAME);
  const person = known ??
    await addPerson(people, { kind: "person", name: NAME, groups: [ADMINS] });
  const { number: tree } = person;
  if (known === undefined) {
    const details = personDetails(person);
    await audit.write({ action: "users.add", tree, details, outcome: "ok" });
  }
  if (person.kind !== "person" || !person.groups.includes(ADMINS)) return undefined;
  try {
    const { token } = await invite(signIns, person);
    const details = { name: person.name };
    await audit.write({ action: "users.invite", tree, details, outcome: "ok" });
    return invitationUrl(server, token);
  } catch (error) {
    // An operator has disabled it.
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
