import { type ComponentChild, h } from "preact";
import { useState } from "preact/hooks";
import type { Comparison, FileDifference, KeyChange } from "../../../../schemas/compare.ts";
import { bytes, count, plural } from "../shared/format.ts";
import { Button } from "../ui/button.ts";
import { Card } from "../ui/pairs.ts";
import { Rows } from "../ui/rows.ts";
import { HunksTable } from "./hunks_table.ts";

/** Files whose insides are shown at first, and more at each request. */
const STEP = 20;

const WORDS: Readonly<Record<FileDifference["action"], string>> = {
  added: "Added",
  removed: "Removed",
  changed: "Changed",
  moved: "Moved",
};

interface CardsProps {
  readonly found: Comparison;
  readonly linkOf: (side: "from" | "to", path: string) => string;
}

/** The files that are different: those whose insides were compared each as a card, then all of them as a table. */
export function FileCards({ found, linkOf }: CardsProps): ComponentChild {
  const [shown, setShown] = useState(STEP);
  const inside = found.files.filter(({ keys, hunks }) => keys.length > 0 || hunks.length > 0);
  const left = inside.length - shown;
  return [
    inside.slice(0, shown).map((file) => h(InsideCard, { key: `inside ${file.path}`, file })),
    left > 0 && h(
      "p",
      { key: "more" },
      h(Button, {
        label: `Show the insides of ${count(Math.min(left, STEP))} more of ${count(left)} files`,
        onClick: () => setShown(shown + STEP),
      }),
    ),
    found.files.length > 0 && h(FilesCard, { key: "files", found, linkOf }),
  ];
}

function InsideCard({ file }: { readonly file: FileDifference }): ComponentChild {
  const { path, keys, hunks, left_out: leftOut } = file;
  return h(
    Card,
    { title: path },
    keys.length > 0 && h(Rows<KeyChange>, {
      label: `Settings of ${path} that are different`,
      rows: keys,
      columns: [
        { title: "Setting", cell: ({ key }) => h("bdi", null, key === "" ? "All of it" : key) },
        { title: "Before", kind: "code", cell: ({ from }) => h("bdi", null, from ?? "–") },
        { title: "After", kind: "code", cell: ({ to }) => h("bdi", null, to ?? "–") },
      ],
    }),
    hunks.length > 0 && h(HunksTable, { label: `Lines of ${path} that are different`, hunks }),
    leftOut > 0 && h("p", { class: "muted" }, `${count(leftOut)} more not shown.`),
  );
}

function FilesCard({ found: { files }, linkOf }: CardsProps): ComponentChild {
  const hasReasons = files.some(({ reason }) => reason !== null);
  return h(
    Card,
    { title: "Files" },
    h(Rows<FileDifference>, {
      label: `${plural(files.length, "file")} that are different`,
      rows: files,
      keyOf: ({ path, action }) => `${action} ${path}`,
      columns: [
        { title: "What", cell: ({ action }) => h("strong", null, WORDS[action]) },
        {
          title: "File",
          cell: ({ path, former_path: former }) => [
            former !== null && h("span", { key: "from" }, h("bdi", null, former), " → "),
            h("bdi", { key: "path" }, path),
          ],
        },
        {
          title: "Before",
          cell: ({ from, path, former_path: former }) =>
            from === null
              ? "–"
              : h("a", { href: linkOf("from", former ?? path) }, bytes(from.size)),
        },
        {
          title: "After",
          cell: ({ to, path }) =>
            to === null ? "–" : h("a", { href: linkOf("to", path) }, bytes(to.size)),
        },
        ...hasReasons
          ? [{ title: "Not compared", cell: ({ reason }: FileDifference) => reason ?? "" }]
          : [],
      ],
    }),
  );
}
