import { FactsEntry } from "../../schemas/facts.ts";
import { printable } from "../../schemas/printable.ts";
import { formatBytes } from "../../schemas/units.ts";
import { print } from "../print.ts";
import { Connection } from "./connection.ts";
import { onlyPath, verbArguments, versionOption } from "./verb.ts";

/** `strongroom facts`: prints what a file or directory of a server says of itself (C 29). */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = verbArguments(args, { at: { type: "string" } });
  const path = onlyPath("facts", positionals);
  const at = versionOption("--at", values.at);
  const connection = await Connection.open(values);
  const query = { path, ...at !== undefined && { at } };
  const entry = await connection.json(FactsEntry, "GET", "/resources/facts", { query });
  print(values.json ? JSON.stringify(entry) : factsText(entry));
  return 0;
}

function factsText(entry: FactsEntry): string {
  const { path, is_dir: isDirectory, facts, formats } = entry;
  const lines: readonly (readonly [string, string | undefined])[] = [
    ["Path", `${path}${isDirectory ? "/" : ""}`],
    ...linesOf(facts),
    ["Formats", isDirectory && formats.length > 0 ? formats.join(", ") : undefined],
    ["", noteOn(entry)],
  ];
  return lines.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name.padEnd(16)}${printable(value)}`]
  ).join("\n");
}

/** What facts that are missing mean. */
function noteOn({ is_dir: isDirectory, facts, complete }: FactsEntry): string | undefined {
  if (complete) return Object.keys(facts).length > 0 ? undefined : "It has no facts";
  return isDirectory
    ? "Not all of it has been scanned: more may be known later"
    : "It has not been scanned for facts yet";
}

function linesOf(facts: FactsEntry["facts"]): readonly (readonly [string, string | undefined])[] {
  const { tensor_bytes: bytes, dtypes = {} } = facts;
  const types = Object.entries(dtypes).sort(([, a], [, b]) => b - a).map(([type]) => type);
  return [
    ["Title", facts.title],
    ["Format", [facts.format ?? "", facts.format_version ?? ""].join(" ").trim() || undefined],
    ["Architecture", facts.architecture],
    ["Class", facts.model_class],
    ["Parameters", facts.parameters?.toLocaleString("en")],
    ["Tensors", facts.tensors?.toLocaleString("en")],
    ["Tensor bytes", bytes === undefined ? undefined : formatBytes(bytes)],
    ["Types", listed(types)],
    ["Quantization", facts.quantization],
    ["Context length", facts.context_length?.toLocaleString("en")],
    ["Tokenizer", facts.tokenizer],
    ["Task", facts.task],
    ["License", facts.license],
    ["Languages", listed(facts.languages)],
    ["Base models", listed(facts.base_models)],
    ["Data sets", listed(facts.datasets)],
    ["Library", facts.library],
    ["Tags", listed(facts.tags)],
  ];
}

function listed(items: readonly string[] | undefined): string | undefined {
  return items === undefined || items.length === 0 ? undefined : items.join(", ");
}
