import type { VersionNote } from "../../core/history_changes.ts";
import type { Session } from "./session.ts";

/** Notes who makes the version of a tree that the transaction makes, and why. */
export async function describeVersion(
  session: Session,
  owner: number,
  { author, message }: VersionNote,
): Promise<void> {
  await session.run("SELECT describe_version(:owner::bigint, :author::bigint, :message::text)", {
    owner,
    author,
    message: message ?? null,
  });
}
