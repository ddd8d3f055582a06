import { type ComponentChild, h } from "preact";
import type { TensorChange, WeightsDifference } from "../../../../schemas/compare.ts";
import { bytes, count, plural } from "../shared/format.ts";
import { nameOf } from "../shared/paths.ts";
import { Card } from "../ui/pairs.ts";
import { Rows } from "../ui/rows.ts";

const WORDS: Readonly<Record<TensorChange["action"], string>> = {
  added: "Added",
  removed: "Removed",
  changed: "Changed",
};

/** The tensors of weights that are different, side by side. */
export function WeightsCard(
  { weights }: { readonly weights: WeightsDifference },
): ComponentChild {
  const { state, reason, tensors, left_out: leftOut } = weights;
  return h(
    Card,
    { title: `Tensors of ${titleOf(weights)}` },
    state === "compared" && h("p", { role: "status" }, countsOf(weights)),
    reason !== null && h("p", { class: "muted" }, h("bdi", null, reason)),
    state === "pending" && h("p", { class: "muted" }, "They are being read."),
    tensors.length > 0 && h(Rows<TensorChange>, {
      label: `Tensors of ${titleOf(weights)} that are different`,
      rows: tensors,
      keyOf: ({ name }) => name,
      columns: [
        { title: "Tensor", cell: ({ name }) => h("bdi", null, name) },
        { title: "What", cell: (tensor) => whatOf(tensor) },
        { title: "Before", kind: "code", cell: ({ from }) => tensorText(from) },
        { title: "After", kind: "code", cell: ({ to }) => tensorText(to) },
      ],
    }),
    leftOut > 0 && h("p", { class: "muted" }, `${plural(leftOut, "other tensor")} not shown.`),
  );
}

function titleOf({ from, to }: WeightsDifference): string {
  const [before, after] = [from, to].map((paths) => named(paths));
  return before === after ? `${after}` : `${before} and ${after}`;
}

function named(paths: readonly string[]): string {
  const [first = ""] = paths;
  return paths.length > 1 ? `${nameOf(first)} and ${paths.length - 1} more` : nameOf(first);
}

function countsOf({ equal, added, removed, changed, unread }: WeightsDifference): string {
  const others = unread === 0 ? "" : `, ${count(unread)} of the same type and shape not read`;
  return `${plural(changed, "tensor")} changed, ${count(added)} added, ${
    count(removed)
  } removed, ` +
    `${count(equal)} equal${others}.`;
}

const PARTS = { dtype: "type", shape: "shape", bytes: "values" } as const;

function whatOf({ action, differs }: TensorChange): ComponentChild {
  const parts = differs.map((it) => PARTS[it]).join(", ");
  return h("strong", null, parts === "" ? WORDS[action] : `${WORDS[action]}: ${parts}`);
}

function tensorText(tensor: TensorChange["from"]): string {
  if (tensor === null) return "–";
  const size = tensor.bytes === null ? "" : `, ${bytes(tensor.bytes)}`;
  return `${tensor.dtype} [${tensor.shape.join(", ")}]${size}`;
}
