import type { VersionNote } from "../../core/history_changes.ts";
import type { Session } from "./session.ts";

/** Notes who makes the version of a tree that the transaction makes, and why. Returns it, if its number is known yet. */
export async function describeVersion(
  session: Session,
  owner: number,
  { author, message }: VersionNote,
): Promise<number | undefined> {
  const row = await session.get(
    `SELECT describe_version(:owner::bigint, :author::bigint, :message::text), (regexp_match(
       coalesce(current_setting('strongroom.versions', true), ''), ',' || :owner::bigint || '=(-?\\d+)'
     ))[1]::bigint AS version`,
    { owner, author, message: message ?? null },
  );
  // Those of large changes are negative until they end; without history, it is 0.
  const version = Number(row?.version ?? 0);
  return version > 0 ? version : undefined;
}
