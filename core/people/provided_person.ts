import { PERSON_NAME, RESERVED_NAMES } from "../../schemas/people.ts";
import { AppError } from "../errors.ts";
import type { ProviderPerson } from "./provider.ts";
import type { PeopleStore, Person } from "./store.ts";

/** How many names are tried before one has a random part. */
const MAX_TRIES = 10;

export interface ProvidedPerson {
  readonly person: Person;
  /** What has been done to it here. */
  readonly change: "add" | "change" | undefined;
}

/**
 * The person whom the provider has signed in: added at the first time, and with the groups and the address that the
 * provider says now (C 27). Returns what has changed, too.
 *
 * @throws {AppError} `ErrNotPermitted` when the person is disabled.
 */
export async function providedPerson(
  people: PeopleStore,
  said: ProviderPerson,
): Promise<ProvidedPerson> {
  const { identity, groups, email } = said;
  const found = await people.findByIdentity(identity);
  const provided = found === undefined
    ? await added(people, said)
    : { person: found, change: undefined };
  const { person: known } = provided;
  if (known.disabledAt !== undefined) {
    throw new AppError("ErrNotPermitted", "You have been disabled here: ask an administrator");
  }
  if (known.groups.join("\n") === groups.join("\n") && known.email === email) {
    return provided;
  }
  const changed = await people.change(
    known.number,
    { groups, email: email ?? null },
    Date.now(),
  );
  if (typeof changed === "object") return { person: changed, change: "change" };
  throw new Error("A person that is known could not be changed");
}

async function added(people: PeopleStore, said: ProviderPerson): Promise<ProvidedPerson> {
  const { identity, groups, email, names } = said;
  for (const name of candidates(names)) {
    const person = await people.add({
      ...{ kind: "person", name, groups, email, identity },
      createdAt: Date.now(),
    });
    if (typeof person === "object") return { person, change: "add" };
    if (person !== "identity") continue;
    // It has signed in elsewhere at the same time.
    const found = await people.findByIdentity(identity);
    if (found !== undefined) return { person: found, change: undefined };
  }
  throw new Error("No name was found for a person");
}

/** What the person may be called: as the provider says, or with a number, or at last with a random part. */
function* candidates(names: readonly string[]): Generator<string> {
  const [first = "person"] = names.map(nameOf).filter((name) => name !== undefined);
  if (!RESERVED_NAMES.has(first)) yield first;
  for (let count = 2; count <= MAX_TRIES; count++) yield `${first.slice(0, 60)}-${count}`;
  for (;;) yield `${first.slice(0, 50)}-${crypto.randomUUID().slice(0, 8)}`;
}

/** A name as names here are, of what the provider says. */
function nameOf(given: string): string | undefined {
  const plain = given.normalize("NFKD").toLowerCase().replaceAll(/[^a-z0-9._-]/g, "");
  const name = plain.replace(/^[^a-z]+/, "").slice(0, 64);
  return PERSON_NAME.test(name) ? name : undefined;
}
