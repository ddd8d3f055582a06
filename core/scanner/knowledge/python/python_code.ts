import type { Danger } from "./danger.ts";
import {
  DANGEROUS_NAMES,
  dangerousBuiltins,
  type DangerousName,
  recognizedIn,
} from "./dangerous_names.ts";

// Sources of patterns for Python code in text. They are alternatives of literals with bounded repetition
// between them, so that a search takes time in proportion to the text.

/** Chooses entries of the table. */
type Choice = (entry: DangerousName) => boolean;

/** Chooses the entries of these dangers. */
export function ofDangers(...dangers: readonly Danger[]): Choice {
  return ({ danger }) => dangers.includes(danger);
}

/** Builtins that are recognized as identifiers, such as `eval`. */
export function builtinNames(choose: Choice): string {
  return alternatives(
    dangerousBuiltins().filter((entry) => entry.alone.includes("code") && choose(entry))
      .map(({ name }) => name),
  );
}

/** Modules that are recognized in a context by their names alone, such as `subprocess`. */
export function moduleNames(context: "code" | "variable" | "part", choose: Choice): string {
  return alternatives(
    [...recognizedIn(context).values()].flatMap((entry) =>
      entry.name === undefined && choose(entry) ? [entry.module] : []
    ),
  );
}

/** Functions that decode text or decompress bytes, such as `b64decode`. */
export function decoderNames(): string {
  return alternatives(
    [...recognizedIn("code").values()].flatMap(({ name, danger }) =>
      name !== undefined && danger === "concealment" ? [name] : []
    ),
  );
}

const RECOGNIZED_MODULES: ReadonlySet<string> = new Set(
  DANGEROUS_NAMES.flatMap(({ module, name, alone }) =>
    name === undefined && alone.length > 0 ? [module] : []
  ),
);

/**
 * Names with their modules, such as `os.system`, of modules that are recognized by their names.
 *
 * @param space Source of what may be written on either side of the dot.
 */
export function qualifiedNames(choose: Choice, space = ""): string {
  const byModule = Map.groupBy(
    DANGEROUS_NAMES.filter((entry) =>
      entry.name !== undefined && RECOGNIZED_MODULES.has(entry.module) && choose(entry)
    ),
    ({ module }) => module,
  );
  return alternatives(
    [...byModule].map(([module, entries]) =>
      `${module}${space}\\.${space}${alternatives(entries.map(({ name = "" }) => name))}`
    ),
  );
}

function alternatives(words: readonly string[]): string {
  return `(?:${words.join("|")})`;
}
