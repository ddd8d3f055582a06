import type { AuditEntry, AuditLog } from "../audit.ts";
import type { PeopleStore } from "./store.ts";

/** How long a name is taken from memory, in milliseconds: changes of one user follow each other. */
const FRESH_MS = 1000;
/** The most users whose names are remembered. */
const MAX_REMEMBERED = 1000;

/**
 * An audit log whose entries name people by their number, and by the name that they have then (C 27). An entry whose
 * names cannot be found has the numbers alone.
 */
export function namedAudit(
  audit: AuditLog,
  people: Pick<PeopleStore, "findByNumber">,
): AuditLog {
  const names = new Map<number, { readonly name: Promise<string | undefined>; until: number }>();
  const nameOf = (number: number) => {
    const known = names.get(number);
    if (known !== undefined && Date.now() < known.until) return known.name;
    const name = people.findByNumber(number).then((it) => it?.name, () => undefined);
    const [oldest] = names.keys();
    if (names.size >= MAX_REMEMBERED && oldest !== undefined) names.delete(oldest);
    names.set(number, { name, until: Date.now() + FRESH_MS });
    return name;
  };
  return {
    get isBlocked() {
      return audit.isBlocked;
    },
    async write(...entries) {
      await audit.write(...await Promise.all(entries.map((entry) => withNames(entry, nameOf))));
    },
  };
}

async function withNames(
  entry: AuditEntry,
  nameOf: (number: number) => Promise<string | undefined>,
): Promise<AuditEntry> {
  const { user, tree, details } = entry;
  const [userName, treeName] = await Promise.all(
    [user, tree].map((it) => it === undefined ? undefined : nameOf(it)),
  );
  if (userName === undefined && treeName === undefined) return entry;
  return { ...entry, details: { ...details, user_name: userName, tree_name: treeName } };
}
