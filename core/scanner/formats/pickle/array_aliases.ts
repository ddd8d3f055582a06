import { canonicalPath } from "./policy.ts";
import type { PickleValue } from "./values.ts";

type TextOf = (value: PickleValue) => string | undefined;

/** Ordinary functions that give back an argument or a part of one, or write through to it. */
const GIVES_BACK = /^builtins\.(?:max|min|sum)$|^collections\.ChainMap$|^torch\.jit\._pickle\./;

/**
 * Whether a call may give back an object that is known under another name already. What is done to it
 * is not seen then, and the length of an array in a file of joblib depends on what was done to its type
 * and its stand-in.
 */
export function blursArrays(
  callee: PickleValue,
  args: readonly PickleValue[],
  textOf: TextOf,
): boolean {
  const path = pathOf(callee);
  if (path === undefined) return false;
  if (GIVES_BACK.test(path)) return true;
  if (path === "numpy.dtype") return args[0]?.kind === "call";
  if (path.endsWith("core.multiarray.scalar")) return isOfObjects(args[0], textOf);
  return path.startsWith("copyreg.") && args.some((value) => pathOf(value) === "numpy.dtype");
}

function isOfObjects(dtype: PickleValue | undefined, textOf: TextOf): boolean {
  const code = dtype?.kind === "call" && dtype.args[0] ? textOf(dtype.args[0]) : undefined;
  return code === undefined || code.includes("O");
}

function pathOf(value: PickleValue): string | undefined {
  return value.kind === "import"
    ? canonicalPath(value.record.module, value.record.name)
    : undefined;
}
