import { type ComponentChild, h, type TargetedToggleEvent } from "preact";
import { useState } from "preact/hooks";
import { bytes, count, plural } from "../shared/format.ts";
import { Button } from "../ui/button.ts";
import { Await, useLoaded } from "../ui/loaded.ts";
import { shortened } from "./header.ts";
import { type ReadFile, readRange } from "./prefix.ts";
import { textOf } from "./kinds.ts";
import { TextView } from "./text.ts";

/** Larger files are shown as texts: 4 MiB. */
const MAX_BYTES = 4 * 2 ** 20;
/** Entries of an object or array that are shown at first, and more at each request. */
const STEP = 100;
/** What is open at first: so many entries of the root. */
const MAX_OPEN = 20;

/** What is in a file, or why that is not known. */
type Read = { readonly value: unknown } | { readonly problem: string };

/** A file in JSON, as a tree that a person opens. */
export function JsonView({ file }: { readonly file: ReadFile }): ComponentChild {
  const loaded = useLoaded((signal) => readJson(file, MAX_BYTES, signal), [file.etag]);
  return h(Await<Read>, {
    loading: loaded,
    what: "the structure",
    children: (read) =>
      "value" in read
        ? h("div", { class: "preview-tree" }, h(Node, { value: read.value, isOpen: true }))
        : [
          h("p", { key: "why", class: "muted" }, read.problem),
          h(TextView, { key: "text", file }),
        ],
  });
}

/** Reads a whole file in JSON. @throws {ApiError} */
export async function readJson(
  file: ReadFile,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Read> {
  if (file.size > maxBytes) {
    return { problem: `Files of more than ${bytes(maxBytes)} are shown as texts.` };
  }
  const content = await readRange(file, { start: 0, end: file.size }, signal);
  try {
    return { value: JSON.parse(textOf(content)) };
  } catch {
    return { problem: "The content is not JSON" };
  }
}

interface NodeProps {
  readonly name?: string;
  readonly value: unknown;
  readonly isOpen: boolean;
}

/** A value with its name. What is in one is made when it is opened. */
function Node({ name, value, isOpen }: NodeProps): ComponentChild {
  const [isShown, setShown] = useState(isOpen);
  const label = name !== undefined && h("bdi", { class: "tree-name" }, shortened(name));
  if (typeof value !== "object" || value === null) {
    return h("p", { class: "tree-value" }, label, h(Scalar, { value }));
  }
  const isArray = Array.isArray(value);
  const entries = Object.entries(value);
  const size = isArray ? plural(entries.length, "item") : plural(entries.length, "key");
  return h(
    "details",
    {
      open: isOpen,
      onToggle: (event: TargetedToggleEvent<HTMLDetailsElement>) =>
        setShown(event.currentTarget.open),
    },
    h("summary", null, label, h("span", { class: "muted" }, `${isArray ? "[ ]" : "{ }"} ${size}`)),
    isShown && h(Entries, { entries, isFirst: isOpen && name === undefined }),
  );
}

function Entries(
  { entries, isFirst }: {
    readonly entries: readonly (readonly [name: string, value: unknown])[];
    readonly isFirst: boolean;
  },
): ComponentChild {
  const [shown, setShown] = useState(STEP);
  const left = entries.length - shown;
  return [
    h(
      "ul",
      { key: "entries" },
      entries.slice(0, shown).map(([name, value]) =>
        h(
          "li",
          { key: `+${name}` },
          h(Node, { name, value, isOpen: isFirst && entries.length <= MAX_OPEN && isSmall(value) }),
        )
      ),
    ),
    left > 0 && h(Button, {
      key: "more",
      label: `Show ${count(Math.min(left, STEP))} more of ${count(left)}`,
      onClick: () => setShown(shown + STEP),
    }),
  ];
}

function isSmall(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length <= MAX_OPEN;
}

function Scalar({ value }: { readonly value: unknown }): ComponentChild {
  const [isWhole, setWhole] = useState(false);
  if (typeof value !== "string") {
    return h(
      "code",
      { class: typeof value === "number" ? "token-number" : "token-word" },
      String(value),
    );
  }
  const short = shortened(value);
  return [
    h("bdi", { key: "text", class: "token-text tree-text" }, isWhole ? value : short),
    short !== value && !isWhole && h(Button, {
      key: "more",
      label: `Show all ${count(value.length)} characters`,
      onClick: () => setWhole(true),
    }),
  ];
}
