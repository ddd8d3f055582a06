import { type ComponentChild, h } from "preact";
import { useMemo } from "preact/hooks";
import { bytes, count } from "../shared/format.ts";
import { Bar } from "../ui/bar.ts";
import { Card } from "../ui/pairs.ts";
import { Rows } from "../ui/rows.ts";
import type { TensorRow } from "../preview/header.ts";

/** The tensors of a layer together. */
interface Layer {
  readonly name: string;
  readonly tensors: number;
  readonly bytes: number;
}

/** How large the layers are, in their order, as bars and numbers. */
export function LayerCard({ tensors }: { readonly tensors: readonly TensorRow[] }): ComponentChild {
  const layers = useMemo(() => layersOf(tensors), [tensors]);
  const largest = Math.max(1, ...layers.slice(0, 10_000).map((it) => it.bytes));
  if (layers.length < 2) return null;
  return h(
    Card,
    { title: "Sizes by layer" },
    h(Rows<Layer>, {
      label: "Sizes by layer",
      rows: layers,
      columns: [
        { title: "Layer", kind: "code", cell: ({ name }) => h("bdi", null, name) },
        { title: "Tensors", kind: "number", cell: (it) => count(it.tensors) },
        { title: "Size", kind: "number", cell: (it) => bytes(it.bytes) },
        {
          title: "Of the largest",
          cell: (it) => h(Bar, { part: it.bytes / largest }),
        },
      ],
    }),
  );
}

/** The layers in the order of their numbers. */
function layersOf(tensors: readonly TensorRow[]): Layer[] {
  const layers = new Map<string, { name: string; tensors: number; bytes: number }>();
  for (const { name: tensor, bytes: size = 0 } of tensors) {
    const name = layerOf(tensor);
    const layer = layers.get(name) ?? { name, tensors: 0, bytes: 0 };
    layer.tensors++;
    layer.bytes += size;
    layers.set(name, layer);
  }
  const collator = new Intl.Collator("en-US", { numeric: true });
  return [...layers.values()].sort((a, b) => collator.compare(a.name, b.name));
}

/** The layer of a tensor: `model.layers.3` of `model.layers.3.mlp.weight`, or what precedes its own name. */
function layerOf(tensor: string): string {
  const parts = tensor.split(".");
  const number = parts.findIndex((part) => /^\d{1,9}$/.test(part));
  return parts.slice(0, number === -1 ? Math.max(1, parts.length - 1) : number + 1).join(".");
}
