import type {
  Identity,
  NewPerson,
  PeopleStore,
  Person,
  PersonChange,
  PersonPage,
  Taken,
} from "../../core/people/store.ts";
import { REGISTER, revokeUser } from "./credential_statements.ts";
import {
  numberOrNull,
  type RunStatement,
  type SqlParameters,
  type SqlRow,
  type Statements,
  textOrNull,
} from "./dialect.ts";
import type { PeopleStatement } from "./people_statements.ts";

type Run = RunStatement<PeopleStatement>;

/** Keeps people and teams in the database of the records. */
export class SqlPeopleStore implements PeopleStore {
  readonly #statements: Statements<PeopleStatement>;
  readonly #settled: () => Promise<void>;

  /**
   * @param settled Resolves when no server relies on what was true before.
   * @default at once, as servers look for themselves
   */
  constructor(statements: Statements<PeopleStatement>, settled = () => Promise.resolve()) {
    this.#statements = statements;
    this.#settled = settled;
  }

  async findByNumber(number: number): Promise<Person | undefined> {
    return (await this.#statements.find("findByNumber", { number })).map(toPerson)[0];
  }

  async findByName(name: string): Promise<Person | undefined> {
    return (await this.#statements.find("findByName", { name })).map(toPerson)[0];
  }

  async findByIdentity({ issuer, subject }: Identity): Promise<Person | undefined> {
    return (await this.#statements.find("findByIdentity", { issuer, subject })).map(toPerson)[0];
  }

  async list({ kind, limit, after = "" }: PersonPage): Promise<Person[]> {
    return (await this.#statements.read("list", { kind, limit, after })).map(toPerson);
  }

  add(person: NewPerson): Promise<Person | Taken> {
    return this.#statements.write(async (run) => {
      const { number: given, name, identity } = person;
      if (given !== undefined && (await run("findByNumber", { number: given })).length > 0) {
        return "number";
      }
      if ((await run("ownerOfName", { name })).length > 0) return "name";
      if (await isTaken(run, identity, given)) return "identity";
      const number = given ?? await freshNumber(run);
      await run("addName", { name, number });
      const rows = await run("add", {
        number,
        kind: person.kind,
        created: person.createdAt,
        ...parametersOf(person),
      });
      return only(rows);
    }, REGISTER);
  }

  async change(
    number: number,
    { disabled, email, ...given }: PersonChange,
    now: number,
  ): Promise<Person | Taken | undefined> {
    const changed = await this.#statements.write(async (run) => {
      const [former] = (await run("findByNumber", { number })).map(toPerson);
      if (former === undefined) return undefined;
      const { name = former.name, groups = former.groups, identity = former.identity } = given;
      if (await isTaken(run, given.identity, number)) return "identity";
      await run("addName", { name, number });
      const [owner] = await run("ownerOfName", { name });
      if (Number(owner?.number) !== number) return "name";
      const isDisabled = disabled ?? former.disabledAt !== undefined;
      if (isDisabled !== (former.disabledAt !== undefined)) {
        // One that is issued within this millisecond ends, too.
        await revokeUser(run, { user: number, before: now + 1, now });
      }
      const rows = await run("change", {
        number,
        disabled: isDisabled ? former.disabledAt ?? now : null,
        ...parametersOf({
          ...{ name, groups, identity },
          email: email === undefined ? former.email : email ?? undefined,
        }),
      });
      return only(rows);
    }, REGISTER);
    if (typeof changed === "object") await this.#settled();
    return changed;
  }
}

/** Whether another one than the person with the number signs in with an identity. */
async function isTaken(
  run: Run,
  identity: Identity | undefined,
  number: number | undefined,
): Promise<boolean> {
  if (identity === undefined) return false;
  const { issuer, subject } = identity;
  const [row] = await run("findByIdentity", { issuer, subject });
  return row !== undefined && Number(row.number) !== number;
}

/** A number that nobody has had. */
async function freshNumber(run: Run): Promise<number> {
  for (;;) {
    const [row] = await run("nextNumber", {});
    const number = Number(row?.last_number);
    // Credentials name trees in JSON, such as {"7":["resources.view"]}.
    const known = await run("isKnown", { number, tree: `%"${number}":%` });
    if (known.length === 0) return number;
  }
}

function parametersOf(
  { name, email, groups, identity }: Pick<NewPerson, "name" | "email" | "groups" | "identity">,
): SqlParameters {
  return {
    name,
    email: email ?? null,
    groups: JSON.stringify(groups),
    issuer: identity?.issuer ?? null,
    subject: identity?.subject ?? null,
  };
}

function only(rows: readonly SqlRow[]): Person {
  const [row] = rows;
  if (row === undefined) throw new Error("A person that was written was not returned");
  return toPerson(row);
}

function toPerson(row: SqlRow): Person {
  const issuer = textOrNull(row.issuer);
  return {
    number: Number(row.number),
    kind: row.kind === "team" ? "team" : "person",
    name: String(row.name),
    email: textOrNull(row.email) ?? undefined,
    groups: JSON.parse(String(row.groups)),
    identity: issuer === null ? undefined : { issuer, subject: String(row.subject) },
    createdAt: Number(row.created_at),
    disabledAt: numberOrNull(row.disabled_at) ?? undefined,
  };
}
