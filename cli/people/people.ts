import * as v from "valibot";
import { AppError } from "../../core/errors.ts";
import { personDetails, personEntry } from "../../core/people/entries.ts";
import {
  addPerson,
  changePerson,
  findPerson,
  type PersonRequest,
} from "../../core/people/people.ts";
import type { PeopleStore, Person, PersonChange, PersonKind } from "../../core/people/store.ts";
import { UserId } from "../../schemas/credentials.ts";
import { NewUserRequest } from "../../schemas/people.ts";
import { parseArguments, parseOptions } from "../arguments.ts";
import { loadSettings } from "../environment.ts";
import { printLines } from "../output.ts";
import { print } from "../print.ts";
import { recordAudit } from "../token/record_audit.ts";
import { withServerRegister } from "../token/server_register.ts";
import { UsageError } from "../usage_error.ts";

/** How many people are read at once. */
const PAGE_LIMIT = 500;

/** The people and teams of a server, beside it. */
export interface People {
  find(kind: PersonKind, named: string): Promise<Person>;
  add(request: PersonRequest): Promise<Person>;
  change(kind: PersonKind, named: string, change: PersonChange): Promise<Person>;
  readonly store: PeopleStore;
  /** All of a kind, by name. */
  all(kind: PersonKind): AsyncGenerator<Person>;
}

/**
 * Runs `work` on the people and teams of the server that the settings name. What it changes is in the audit log.
 *
 * @throws {UsageError} when it is refused.
 */
export async function withPeople<Result>(
  work: (people: People) => Promise<Result>,
): Promise<Result> {
  const settings = loadSettings();
  return await withServerRegister(settings, async ({ people: store }) => {
    const recorded = async (action: string, person: Person) => {
      await recordAudit(settings, {
        action: `${person.kind === "team" ? "teams" : "users"}.${action}`,
        tree: person.number,
        details: { ...personDetails(person), tree_name: person.name },
      });
      return person;
    };
    try {
      return await work({
        store,
        find: (kind, named) => findPerson(store, kind, named),
        add: async (request) => await recorded("add", await addPerson(store, request)),
        change: async (kind, named, change) =>
          await recorded("change", await changePerson(store, { kind, named, change })),
        async *all(kind) {
          let after: string | undefined;
          for (let isLast = false; !isLast;) {
            const page = await store.list({ kind, limit: PAGE_LIMIT, after });
            yield* page;
            after = page.at(-1)?.name;
            isLast = page.length < PAGE_LIMIT;
          }
        },
      });
    } catch (error) {
      throw error instanceof AppError ? new UsageError(error.message) : error;
    }
  });
}

const JSON_OPTION = { json: { type: "boolean", default: false } } as const;

/** `strongroom user list`, `strongroom team list`. */
export async function list(kind: PersonKind, args: string[]): Promise<number> {
  const { json } = parseOptions(args, JSON_OPTION);
  await withPeople(async ({ all }) => {
    async function* lines() {
      for await (const person of all(kind)) yield json ? jsonOf(person) : lineOf(person);
    }
    await printLines(lines());
  });
  return 0;
}

/** `strongroom user show`, `strongroom team show`. */
export async function show(kind: PersonKind, args: string[]): Promise<number> {
  const { positionals, values } = namesAndJson(args);
  const named = oneName(`${verbOf(kind)} show`, positionals);
  await withPeople(async ({ find }) => printPerson(await find(kind, named), values.json));
  return 0;
}

/** `strongroom user add`, `strongroom team add`. */
export async function add(kind: PersonKind, args: string[]): Promise<number> {
  const { positionals, values } = parseArguments({
    args,
    options: {
      ...JSON_OPTION,
      number: { type: "string" },
      ...kind === "person" && {
        email: { type: "string" },
        group: { type: "string", multiple: true, default: [] },
      },
    },
    strict: true,
    allowPositionals: true,
  });
  const name = oneName(`${verbOf(kind)} add`, positionals);
  const number = v.safeParse(v.optional(UserId), values.number);
  if (!number.success) {
    throw new UsageError(`--number must be a user id from 1 to 2^53 − 1, not "${values.number}"`);
  }
  const { email, group: groups } = values;
  const request = v.safeParse(NewUserRequest, { name, email, groups });
  if (!request.success) {
    const [issue] = request.issues;
    throw new UsageError(
      v.getDotPath(issue) === "email"
        ? `--email must be an address, not "${email}"`
        : `--group must have 1 to 200 characters in a line, not "${issue.input}"`,
    );
  }
  await withPeople(async (people) => {
    printPerson(
      await people.add({
        ...{ kind, name, number: number.output, groups: request.output.groups ?? [] },
        email: request.output.email ?? undefined,
      }),
      values.json === true,
    );
  });
  return 0;
}

/** `strongroom user rename`, `strongroom team rename`. */
export async function rename(kind: PersonKind, args: string[]): Promise<number> {
  const { positionals: [named, name, ...others], values } = namesAndJson(args);
  if (named === undefined || name === undefined || others.length > 0) {
    throw new UsageError(`${verbOf(kind)} rename needs two arguments: the name, and the new one`);
  }
  return await change(kind, { named, json: values.json, changeOf: () => ({ name }) });
}

/** Changes a person or a team, and prints what it is then. */
export async function change(
  kind: PersonKind,
  { named, json, changeOf, print: shown = printPerson }: {
    readonly named: string;
    readonly json: boolean;
    readonly changeOf: (former: Person) => PersonChange;
    readonly print?: (person: Person, json: boolean) => void;
  },
): Promise<number> {
  await withPeople(async (people) => {
    const former = await people.find(kind, named);
    shown(await people.change(kind, String(former.number), changeOf(former)), json);
  });
  return 0;
}

/** The only argument: the name or the number of a person or team. */
export function oneName(command: string, [name, ...others]: readonly string[]): string {
  if (name !== undefined && others.length === 0) return name;
  throw new UsageError(`${command} needs one argument: a name`);
}

/** Prints a person or a team, as a line or as JSON. */
export function printPerson(person: Person, json: boolean, textOf = lineOf): void {
  print(json ? jsonOf(person) : textOf(person));
}

function namesAndJson(args: string[]) {
  return parseArguments({ args, options: JSON_OPTION, strict: true, allowPositionals: true });
}

function verbOf(kind: PersonKind): string {
  return kind === "team" ? "team" : "user";
}

function jsonOf(person: Person): string {
  return JSON.stringify(personEntry(person));
}

function lineOf({ number, name, email, groups, disabledAt }: Person): string {
  const parts = [
    String(number).padStart(7),
    name,
    email ?? "",
    groups.length === 0 ? "" : `groups: ${groups.join(", ")}`,
    disabledAt === undefined ? "" : `disabled ${new Date(disabledAt).toISOString()}`,
  ];
  return parts.filter((part) => part !== "").join("  ");
}
