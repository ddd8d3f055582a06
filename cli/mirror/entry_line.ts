import type { MirrorEntry } from "../../schemas/mirror.ts";
import { printable } from "../../schemas/printable.ts";
import { formatBytes } from "../../schemas/units.ts";

/** A revision of the mirror in a line: when it was first asked for, and what has come in of it. */
export function entryLine(entry: MirrorEntry): string {
  const { fetched_files: fetched, files, fetched_bytes: bytes, pinned_at: pinned } = entry;
  const what = `${fetched}/${files} files, ${formatBytes(bytes)}`;
  const time = entry.asked_first_at.slice(0, 16).replace("T", " ");
  return `${time}  ${nameOf(entry)}  ${what}${pinned === null ? "" : ", pinned"}`;
}

function nameOf({ type, repository, commit }: MirrorEntry): string {
  return `${type === "dataset" ? "datasets/" : ""}${printable(repository)}@${commit.slice(0, 12)}`;
}
