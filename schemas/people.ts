import * as v from "valibot";

/** The form of the name of a person or a team, folded to lower case (C 27). No number has it. */
export const PERSON_NAME = /^[a-z][a-z0-9._-]{0,63}$/;

/** What names a person or a team in a request: its number or its name. */
export const USER_NAMED = /^(?:[1-9][0-9]{0,15}|[A-Za-z][A-Za-z0-9._-]{0,63})$/;

/** Names with a meaning of their own where names of trees are: `usage` is an address below `users/`. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set([
  "own",
  "all",
  "mirror",
  "me",
  "usage",
]);

/** The most groups of a person. */
export const MAX_GROUPS = 200;

const number = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const time = v.pipe(v.string(), v.isoTimestamp());

const name = v.pipe(
  v.string(),
  v.description(
    "A letter, and up to 63 letters, digits, dots, underscores and hyphens; kept in lower case. Not " +
      [...RESERVED_NAMES].join(", "),
  ),
);

const email = v.pipe(
  v.string(),
  v.maxLength(254),
  v.regex(/^[^\s\p{Cc}@]+@[^\s\p{Cc}@]+$/u),
  v.description("An address of e-mail"),
);

/** The name of a group. */
export const Group = v.pipe(v.string(), v.regex(/^[^\p{Cc}\p{Cs}]{1,200}$/u));

const groups = v.pipe(
  v.array(Group),
  v.maxLength(MAX_GROUPS),
  v.description("The groups by which [roles] finds what it may do"),
);

/** A number for who is added. */
const newNumber = v.pipe(
  v.nullish(number),
  v.description("The id of the user, for a tree that is there; by default one that nobody has had"),
);

/** The body of a request that adds a person (C 27). Unknown keys are ignored (C 3). */
export const NewUserRequest = v.object({
  name,
  email: v.nullish(email),
  groups: v.nullish(groups, []),
  number: newNumber,
});

/** The body of a request that changes a person. */
export const UserChange = v.object({
  name: v.optional(name),
  email: v.pipe(v.optional(v.nullable(email)), v.description("Null for none")),
  groups: v.optional(groups),
  disabled: v.pipe(
    v.optional(v.boolean()),
    v.description("Whether its credentials, sessions and links count for nothing"),
  ),
});

/** The body of a request that adds a team (C 27). */
export const NewTeamRequest = v.object({ name, number: newNumber });

/** The body of a request that changes a team. */
export const TeamChange = v.object({ name: v.optional(name) });

/** A person, as callers receive it. Times are RFC 3339, UTC, with milliseconds. */
export const UserEntry = v.object({
  number: v.pipe(number, v.description("The id of the user, which is never given again")),
  name: v.string(),
  email: v.nullable(v.string()),
  groups: v.array(v.string()),
  created_at: time,
  disabled_at: v.pipe(v.nullable(time), v.description("Null unless it is disabled")),
});
export type UserEntry = v.InferOutput<typeof UserEntry>;

/** A team, as callers receive it. */
export const TeamEntry = v.object({
  number: v.pipe(number, v.description("The id of the user whose tree is the team's")),
  name: v.string(),
  created_at: time,
});
export type TeamEntry = v.InferOutput<typeof TeamEntry>;

const total = v.pipe(v.number(), v.integer(), v.minValue(0));

/** A page of people, by name. */
export const UserList = v.object({ items: v.array(UserEntry), total });

/** A page of teams, by name. */
export const TeamList = v.object({ items: v.array(TeamEntry), total });
