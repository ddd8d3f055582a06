import { type ComponentChild, h, type TargetedEvent } from "preact";
import { useMemo, useState } from "preact/hooks";
import { bytes, count, plural } from "../shared/format.ts";
import { Await, type Load } from "../ui/loaded.ts";
import { Card } from "../ui/pairs.ts";
import { Rows } from "../ui/rows.ts";
import type { Content } from "./content.ts";
import { LayerCard } from "./layers.ts";
import { type ModelHeader, type Pair, type TensorRow, totals } from "../preview/header.ts";

const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 2 });
const whole = new Intl.NumberFormat("en-US");

/** More parameters than any model has: 10^18. Hostile headers claim such. */
const MAX_PLAUSIBLE = 10n ** 18n;

function amount(parameters: bigint, format: Intl.NumberFormat): string {
  return parameters > MAX_PLAUSIBLE ? "more than 10¹⁸" : format.format(parameters);
}

/** What the content of a file says of itself. */
export function ContentCards({ content }: { readonly content: Load<Content> }): ComponentChild {
  return h(Await<Content>, {
    loading: content,
    what: "the content",
    children: ({ header, manifest, problem }) => [
      problem !== undefined &&
      h(Card, { key: "problem", title: "Content" }, h("p", null, problem)),
      header !== undefined && h(TensorCard, { key: "tensors", header }),
      header !== undefined && header.tensors.length > 1 &&
      h(LayerCard, { key: "layers", tensors: header.tensors }),
      header !== undefined && header.metadata.length > 0 &&
      h(PairCard, { key: "metadata", title: "Metadata", pairs: header.metadata }),
      manifest !== undefined && manifest.length > 0 &&
      h(PairCard, { key: "manifest", title: "Keys", pairs: manifest }),
    ],
  });
}

function TensorCard({ header }: { readonly header: ModelHeader }): ComponentChild {
  const { tensors, remark } = header;
  const [words, setWords] = useState("");
  const { parameters, types } = useMemo(() => totals(tensors), [tensors]);
  const shown = useMemo(() => {
    const sought = words.trim().toLowerCase();
    return tensors.filter(({ name }) => name.toLowerCase().includes(sought));
  }, [tensors, words]);
  return h(
    Card,
    {
      title: "Tensors",
      actions: tensors.length > 1 && h("input", {
        type: "search",
        "aria-label": "Filter tensors by name",
        placeholder: "Filter by name",
        value: words,
        onInput: (event: TargetedEvent<HTMLInputElement>) => setWords(event.currentTarget.value),
      }),
    },
    h(
      "p",
      null,
      h(
        "strong",
        { title: amount(parameters, whole) },
        `${amount(parameters, compact)} parameters`,
      ),
      ` in ${plural(tensors.length, "tensor")}`,
      types.length > 0 &&
        `: ${types.slice(0, 8).map(([type, of]) => `${count(of)} ${type}`).join(", ")}`,
    ),
    remark !== undefined && h("p", { class: "muted" }, remark),
    shown.length > 0
      ? h(Rows<TensorRow>, { label: "Tensors", rows: shown, columns: TENSOR_COLUMNS })
      : words !== "" && h("p", { role: "status" }, "No tensor has such a name."),
  );
}

const TENSOR_COLUMNS = [
  { title: "Name", kind: "code", cell: ({ name }: TensorRow) => h("bdi", null, name) },
  { title: "Type", cell: ({ type }: TensorRow) => type },
  {
    title: "Shape",
    kind: "number",
    cell: ({ shape }: TensorRow) => shape.length === 0 ? "scalar" : shape.join(" × "),
  },
  {
    title: "Parameters",
    kind: "number",
    cell: ({ parameters }: TensorRow) => amount(parameters, whole),
  },
  {
    title: "Size",
    kind: "number",
    cell: ({ bytes: size }: TensorRow) => size === undefined ? "–" : bytes(size),
  },
] as const;

function PairCard(
  { title, pairs }: { readonly title: string; readonly pairs: readonly Pair[] },
): ComponentChild {
  return h(
    Card,
    { title },
    h(Rows<Pair>, {
      label: title,
      rows: pairs,
      columns: [
        { title: "Key", kind: "code", cell: ({ key }) => h("bdi", null, key) },
        { title: "Value", cell: ({ value }) => h("bdi", null, value) },
      ],
    }),
  );
}
