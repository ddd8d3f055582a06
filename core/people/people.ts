import * as v from "valibot";
import { UserId } from "../../schemas/credentials.ts";
import { PERSON_NAME, RESERVED_NAMES } from "../../schemas/people.ts";
import { AppError, quoted } from "../errors.ts";
import type { NewPerson, PeopleStore, Person, PersonChange, PersonKind, Taken } from "./store.ts";

/** What is to be said of a new person or team. */
export type PersonRequest =
  & Pick<NewPerson, "kind" | "name" | "number">
  & Partial<Pick<NewPerson, "email" | "groups" | "identity">>;

/**
 * Adds a person or a team, with a number that nobody has had unless one is given (C 27).
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when the name is invalid or reserved, `ErrUsersConflict` when the
 *   name or the number is taken.
 */
export async function addPerson(store: PeopleStore, request: PersonRequest): Promise<Person> {
  const { kind, number, email, groups = [], identity } = request;
  const name = newName(request.name);
  const added = await store.add({
    ...{ kind, name, number, email, groups, identity },
    createdAt: Date.now(),
  });
  if (typeof added === "object") return added;
  throw conflict(added, { name, number });
}

/**
 * Changes a person or a team. Disabling it ends its credentials, sessions and links at once (C 27).
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when the name is invalid or reserved, `ErrUsersConflict` when it is
 *   taken, `ErrUsersNotFound` when there is nobody of this kind with the number or name, `ErrNotPermitted` when who asks for
 *   it would disable itself.
 */
export async function changePerson(
  store: PeopleStore,
  { kind, named, change, by }: {
    readonly kind: PersonKind;
    /** A number or a name. */
    readonly named: string;
    readonly change: PersonChange;
    /** The number of who asks for it. @default the operator */
    readonly by?: number | undefined;
  },
): Promise<Person> {
  const name = change.name === undefined ? undefined : newName(change.name);
  const { number } = await findPerson(store, kind, named);
  if (number === by && change.disabled === true) {
    throw new AppError("ErrNotPermitted", "Nobody can disable itself: ask somebody else");
  }
  const changed = await store.change(number, { ...change, name }, Date.now());
  if (typeof changed === "object") return changed;
  throw changed === undefined ? notFound(kind, named) : conflict(changed, { name, number });
}

/**
 * The person or team with a number or a name.
 *
 * @throws {AppError} `ErrUsersNotFound` when there is none of this kind.
 */
export async function findPerson(
  store: Pick<PeopleStore, "findByName" | "findByNumber">,
  kind: PersonKind,
  named: string,
): Promise<Person> {
  const number = v.safeParse(UserId, named);
  const found = number.success
    ? await store.findByNumber(number.output)
    : await findNamed(store, named);
  if (found?.kind === kind) return found;
  throw notFound(kind, named);
}

/** The person or team with a name, in whichever case it is written. A name that it once had counts, too. */
export async function findNamed(
  store: Pick<PeopleStore, "findByName">,
  given: string,
): Promise<Person | undefined> {
  const name = given.toLowerCase();
  return PERSON_NAME.test(name) ? await store.findByName(name) : undefined;
}

/** A name for somebody, in lower case. */
function newName(given: string): string {
  const name = given.toLowerCase();
  if (!PERSON_NAME.test(name)) {
    throw invalid(
      `${
        quoted(given)
      } must be a letter, and up to 63 letters, digits, dots, underscores and hyphens`,
    );
  }
  if (RESERVED_NAMES.has(name)) throw invalid(`${quoted(given)} is reserved`);
  return name;
}

function invalid(reason: string): AppError {
  return new AppError("ErrResourcesInvalidRequest", `Invalid name: ${reason}`);
}

function notFound(kind: PersonKind, named: string): AppError {
  return new AppError("ErrUsersNotFound", `No ${kind} ${quoted(named)}`);
}

function conflict(taken: Taken, { name, number }: Partial<NewPerson>): AppError {
  switch (taken) {
    case "name":
      return new AppError(
        "ErrUsersConflict",
        `The name ${quoted(name ?? "")} is taken, or was somebody's before`,
      );
    case "number":
      return new AppError("ErrUsersConflict", `The number ${number} is taken`);
    case "identity":
      return new AppError("ErrUsersConflict", "Somebody else signs in with this identity");
  }
}
