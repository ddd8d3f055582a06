import { h } from "preact";
import type { ResourceEntry } from "../../../../schemas/resources.ts";
import { count, plural } from "../shared/format.ts";
import { ask } from "../ui/dialog.ts";
import { Rows } from "../ui/rows.ts";
import { messageOf } from "../ui/states.ts";
import { toast } from "../ui/toasts.ts";
import type { Outcome, Refusal } from "./in_parts.ts";

/** `model.bin`, or `3 files and folders`. */
export function named(entries: readonly ResourceEntry[]): string {
  const [first] = entries;
  if (entries.length === 1 && first !== undefined) return `“${first.name}”`;
  const directories = entries.filter(({ is_dir }) => is_dir).length;
  if (directories === 0) return plural(entries.length, "file");
  if (directories === entries.length) return plural(directories, "folder");
  return `${plural(entries.length, "file")} and folders`;
}

/**
 * Says what has become of a selection: in a message if all of it went, otherwise in an answer that stays.
 *
 * @param did Such as "Moved".
 * @param rest Such as where to.
 * @param undo Takes it back, if all of it went.
 * @throws the reason, when it is one entry that was refused.
 */
export function tellOutcome(
  { done, refused, left }: Outcome,
  did: string,
  { rest = "", undo }: {
    readonly rest?: string;
    readonly undo?: (() => void) | undefined;
  } = {},
): void {
  const [first] = refused;
  if (first !== undefined && done.length + refused.length + left.length === 1) throw first.error;
  const text = done.length === 0 ? `${did} nothing${rest}` : `${did} ${named(done)}${rest}`;
  if (refused.length === 0 && left.length === 0) return toast(text, { undo });
  ask({
    title: refused.length === 0
      ? "Stopped"
      : `${count(refused.length)} could not be ${did.toLowerCase()}`,
    action: "Close",
    isNotice: true,
    body: () => [
      h("p", { key: "done" }, `${text}.`),
      left.length > 0 && h(
        "p",
        { key: "left" },
        `Stopped: ${named(left)} ${left.length === 1 ? "was" : "were"} left as before.`,
      ),
      refused.length > 0 && h(Rows<Refusal>, {
        key: "refused",
        label: "Why",
        columns: [
          { title: "Name", cell: ({ entry }) => h("bdi", null, entry.path) },
          { title: "Why", cell: ({ error }) => messageOf(error) },
        ],
        rows: refused,
        keyOf: ({ entry }) => entry.id,
      }),
    ],
    run: () => Promise.resolve(),
  });
}
