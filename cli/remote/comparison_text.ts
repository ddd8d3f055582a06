import type {
  Comparison,
  FileDifference,
  KeyChange,
  LineHunk,
  TensorChange,
  WeightsDifference,
} from "../../schemas/compare.ts";
import { printable } from "../../schemas/printable.ts";
import { formatBytes } from "../../schemas/units.ts";

const SIGNS = { added: "+", changed: "~", moved: ">", removed: "-" } as const;

/** What is different, for people. */
export function comparisonText(found: Comparison): string {
  const { from, to, equal_files: equal, files, weights, complete } = found;
  const lines = [`${sideText(from)} → ${sideText(to)}`, ...files.flatMap(fileLines)];
  lines.push(...weights.flatMap(weightsLines));
  const equalFiles = equal === 1 ? "1 file is" : `${equal} files are`;
  if (files.length === 0) lines.push("Nothing is different");
  else if (to.is_dir) lines.push(`${equalFiles} equal`);
  if (!complete) lines.push("Not all of it was compared, as too much is different");
  return lines.join("\n");
}

function sideText({ path, version, is_dir: isDirectory }: Comparison["from"]): string {
  const shown = `${printable(path)}${isDirectory ? "/" : ""}`;
  return version === null ? shown : `${shown} (version ${version})`;
}

function fileLines(file: FileDifference): string[] {
  const { action, path, former_path: former, keys, hunks, reason, left_out: leftOut } = file;
  const where = former === null ? path : `${former} → ${path}`;
  return [
    `${SIGNS[action]} ${printable(where)}${sizesOf(file)}`,
    ...reason === null ? [] : [`    Not compared: ${printable(reason)}`],
    ...keys.map(keyLine),
    ...hunks.flatMap(hunkLines),
    ...leftOut === 0 ? [] : [`    … and ${leftOut} more`],
  ];
}

function sizesOf({ action, compared, from, to }: FileDifference): string {
  if (compared === "keys" || compared === "lines" || action === "moved") return "";
  const sizes = [from, to].flatMap((it) => it === null ? [] : [formatBytes(it.size)]);
  return `  ${[...new Set(sizes)].join(" → ")}`;
}

function keyLine({ key, action, from, to }: KeyChange): string {
  const values = action === "changed" ? `${from} → ${to}` : from ?? to;
  return `    ${SIGNS[action]} ${printable(`${key === "" ? "all of it" : key}: ${values}`)}`;
}

function hunkLines({ from, to, lines }: LineHunk): string[] {
  return [`    @@ ${from} ${to} @@`, ...lines.map((line) => `    ${printable(line)}`)];
}

function weightsLines(weights: WeightsDifference): string[] {
  const { from, to, state, reason, tensors, left_out: leftOut, unread } = weights;
  const names = [...new Set([from[0], to[0]])].flatMap((it) => it ?? []).map(printable);
  const counts = (["changed", "added", "removed", "equal"] as const)
    .map((what) => `${weights[what].toLocaleString("en")} ${what}`);
  if (unread > 0) counts.push(`${unread.toLocaleString("en")} not read`);
  const what = state === "compared" ? `tensors: ${counts.join(", ")}` : "tensors are not compared";
  return [
    `${names.join(" → ")} ${what}`,
    ...reason === null ? [] : [`    ${printable(reason)}`],
    ...tensors.map(tensorLine),
    ...leftOut === 0 ? [] : [`    … and ${leftOut} more`],
  ];
}

function tensorLine({ name, action, differs, from, to }: TensorChange): string {
  const sides = [...new Set([from, to].flatMap((it) => it === null ? [] : [tensorText(it)]))];
  const bytes = differs.includes("bytes") && sides.length === 1 ? "  other bytes" : "";
  return `    ${SIGNS[action]} ${printable(`${name}  ${sides.join(" → ")}`)}${bytes}`;
}

function tensorText({ dtype, shape }: NonNullable<TensorChange["from"]>): string {
  return `${dtype} [${shape.join(", ")}]`;
}
