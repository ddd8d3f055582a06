import type { TeamEntry, UserEntry } from "../../schemas/people.ts";
import type { AuditDetails } from "../audit.ts";
import { isoTime } from "../entries.ts";
import type { Person } from "./store.ts";

/** A person or a team, as callers receive it. */
export function personEntry(person: Person): UserEntry | TeamEntry {
  const { kind, number, name, email = null, groups, createdAt, disabledAt } = person;
  const team = { number, name, created_at: isoTime(createdAt) };
  if (kind === "team") return team;
  return {
    ...team,
    email,
    groups: [...groups],
    disabled_at: disabledAt === undefined ? null : isoTime(disabledAt),
  };
}

/** A person or a team in the audit log, as it is now. */
export function personDetails({ kind, name, groups, disabledAt }: Person): AuditDetails {
  return {
    name,
    groups: kind === "team" ? undefined : groups.join(),
    disabled: disabledAt === undefined ? undefined : "yes",
  };
}
