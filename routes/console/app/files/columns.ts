import { h } from "preact";
import type { ResourceEntry } from "../../../../schemas/resources.ts";
import { bytes } from "../shared/format.ts";
import { linkTo } from "../shared/router.ts";
import { Ago } from "../ui/ago.ts";
import type { Column } from "../ui/grid_props.ts";
import { Icon } from "../ui/icon.ts";
import { VerdictBadge } from "../ui/verdict.ts";
import type { Known } from "./directory.ts";
import { factsLine } from "./fact_words.ts";
import type { Order } from "./order.ts";
import type { ShownVerdict } from "./shown_verdict.ts";

/** The room that shows an entry: of what is known to be a model, its page. */
export function roomOf(
  { id, is_dir: isDir }: ResourceEntry,
  known: ReadonlyMap<number, Known> | undefined,
): string {
  if (!isDir) return "file";
  return known?.get(id)?.kind === "model" ? "model" : "files";
}

/** The columns of a listing. @param shows Whether rows show their name, or their path. */
export function columnsOf(
  { order, verdicts, known, shows }: {
    readonly order: Order | undefined;
    readonly verdicts: ReadonlyMap<number, ShownVerdict>;
    readonly known?: ReadonlyMap<number, Known> | undefined;
    readonly shows: "name" | "path";
  },
): Column<ResourceEntry>[] {
  const sort = (by: Exclude<Order["by"], "path">) =>
    order === undefined ? {} : {
      sort: order.by !== by ? "none" : order.isDescending ? "descending" : "ascending",
    } as const;
  return [
    {
      id: "name",
      title: shows === "name" ? "Name" : "Path",
      ...sort("name"),
      cell: (entry) => [
        h(Icon, { key: "icon", name: entry.is_dir ? "folder" : "file" }),
        h(
          "a",
          {
            key: "name",
            class: "name",
            href: linkTo(roomOf(entry, known), entry.path),
            tabIndex: -1,
            title: entry[shows],
            draggable: false,
          },
          h("bdi", null, entry[shows]),
        ),
      ],
    },
    ...known === undefined ? [] : [{
      id: "facts",
      title: "Facts",
      cell: ({ id }: ResourceEntry) => {
        const line = factsLine(known.get(id)?.facts ?? {});
        return line === "" ? null : h("bdi", { title: line }, line);
      },
    }],
    {
      id: "verdict",
      title: "Verdict",
      ...sort("verdict"),
      cell: ({ id, is_dir: isDir, path: ofPath }) => {
        const shown = verdicts.get(id);
        if (shown === undefined || (isDir && shown.verdict === "unscanned")) return null;
        const { verdict, detail, path, files, isBlocked } = shown;
        if (!isDir || path === ofPath) {
          return [
            h(VerdictBadge, { key: "badge", verdict, detail }),
            isBlocked && h("span", { key: "blocked", class: "blocked" }, "Blocked"),
          ];
        }
        // The way from a folder to what is wrong in it.
        return h(
          "a",
          { href: linkTo("file", path), tabIndex: -1, draggable: false },
          h(VerdictBadge, {
            verdict,
            files,
            detail: detail === undefined ? path : `${path}: ${detail}`,
          }),
        );
      },
    },
    {
      id: "size",
      title: "Size",
      ...sort("size"),
      cell: ({ id, is_dir: isDir, size }) => {
        const shown = isDir ? verdicts.get(id)?.size : size;
        return shown === undefined ? null : bytes(shown);
      },
    },
    {
      id: "updated",
      title: "Changed",
      ...sort("updated"),
      cell: ({ updated_at: at }) => h(Ago, { at }),
    },
  ];
}
