import { type ComponentChild, type ComponentChildren, h } from "preact";
import type { FactsEntry } from "../../../../schemas/facts.ts";
import { bytes, count } from "../shared/format.ts";
import { Card, Facts } from "../ui/pairs.ts";

/** What a model says of itself, as scans have found it (C 29). */
export function ModelFacts({ entry }: { readonly entry: FactsEntry }): ComponentChild {
  const { facts, formats, complete } = entry;
  const types = Object.entries(facts.dtypes ?? {}).sort(([, a], [, b]) => b - a)
    .map(([type]) => type);
  const all: readonly (readonly [string, ComponentChildren | undefined])[] = [
    ["Title", facts.title],
    ["Task", facts.task],
    ["Architecture", facts.architecture],
    ["Class", facts.model_class],
    ["Parameters", facts.parameters === undefined ? undefined : count(facts.parameters)],
    ["Tensors", facts.tensors === undefined ? undefined : count(facts.tensors)],
    ["Size of tensors", facts.tensor_bytes === undefined ? undefined : bytes(facts.tensor_bytes)],
    ["Types", listed(types)],
    ["Quantization", facts.quantization],
    [
      "Context length",
      facts.context_length === undefined ? undefined : count(facts.context_length),
    ],
    ["Tokenizer", facts.tokenizer],
    ["License", facts.license],
    ["Languages", listed(facts.languages)],
    ["Base models", listed(facts.base_models)],
    ["Data sets", listed(facts.datasets)],
    ["Library", facts.library],
    ["Formats", listed(formats)],
    ["Tags", listed(facts.tags)],
  ];
  const known = all.flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, h("bdi", null, value)] as const]
  );
  return h(
    Card,
    { title: "Facts" },
    known.length > 0
      ? h(Facts, { facts: known })
      : h("p", null, "Nothing is known of it: facts come with scans."),
    !complete && known.length > 0 &&
      h("p", { class: "muted" }, "Not all of it has been scanned: more may be known later."),
  );
}

function listed(items: readonly string[] | undefined): string | undefined {
  return items === undefined || items.length === 0 ? undefined : items.join(", ");
}
