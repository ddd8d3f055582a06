import type { RuleCode } from "../../contract/rules.ts";
import type { Context, Danger, DangerLevel, DangerousNames } from "./danger.ts";
import { ACCESS } from "./dangerous_access.ts";
import { EXECUTION } from "./dangerous_execution.ts";
import { PACKAGES } from "./dangerous_packages.ts";
import { RESOURCES } from "./dangerous_resources.ts";

/** A module, or a name in a module, of the table of dangerous names. */
export interface DangerousName {
  readonly module: string;
  /** If undefined, everything in the module is meant. */
  readonly name?: string;
  readonly danger: Danger;
  readonly rule?: RuleCode;
  readonly level: DangerLevel;
  readonly alone: readonly Context[];
  readonly anywhere?: "name" | "part";
}

/**
 * The modules and names of Python that a model has no business with, for all formats. Each format takes
 * those that apply to what its loader does with a name, by danger, level and context.
 */
export const DANGEROUS_NAMES: readonly DangerousName[] = [
  ...EXECUTION,
  ...ACCESS,
  ...RESOURCES,
  ...PACKAGES,
]
  .flatMap(namesOfRow);

function namesOfRow(row: DangerousNames): DangerousName[] {
  const { modules, names, level = "forbidden", alone = [], ...rest } = row;
  return words(modules).flatMap((module) => {
    const entry = { ...rest, level, alone, module };
    return names === undefined ? [entry] : words(names).map((name) => ({ ...entry, name }));
  });
}

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

/** Path parts beyond this number are ignored. */
const MAX_PARTS = 100;

const BY_PATH: ReadonlyMap<string, DangerousName> = new Map(
  DANGEROUS_NAMES.filter(({ anywhere }) => anywhere === undefined)
    .map((entry) => [dottedPath(entry.module, entry.name), entry]),
);

/** What counts anywhere in a framework, by the framework's root and the name. */
const ANYWHERE: ReadonlyMap<string, DangerousName> = new Map(
  DANGEROUS_NAMES.filter(({ anywhere }) => anywhere !== undefined)
    .map((entry) => [dottedPath(entry.module, entry.name), entry]),
);

/** The path of a name in a module, or of the module if the name is empty or undefined. */
export function dottedPath(module: string, name: string | undefined): string {
  return name === undefined || name === "" ? module : `${module}.${name}`;
}

/** The entry of exactly this path. */
export function exactEntry(path: string): DangerousName | undefined {
  return BY_PATH.get(path);
}

/**
 * The entry that covers a path: the longest one that is the path or contains it; otherwise the first
 * part that counts anywhere in the path's framework.
 */
export function dangerOf(path: string): DangerousName | undefined {
  const parts = path.split(".", MAX_PARTS);
  let found: DangerousName | undefined;
  let start = "";
  for (const part of parts) {
    start = start === "" ? part : `${start}.${part}`;
    found = BY_PATH.get(start) ?? found;
  }
  return found ?? dangerInFramework(parts);
}

function dangerInFramework([root = "", ...rest]: readonly string[]): DangerousName | undefined {
  for (const part of rest) {
    const found = ANYWHERE.get(`${root}.${part}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The entries that are recognized in a context by the last part of their paths, by that part. */
export function recognizedIn(context: Context): ReadonlyMap<string, DangerousName> {
  const found = new Map<string, DangerousName>();
  for (const entry of DANGEROUS_NAMES) {
    const last = entry.name ?? entry.module;
    if (entry.alone.includes(context) && !found.has(last)) found.set(last, entry);
  }
  return found;
}

/**
 * Functions that every Python program can call without an import, except those that only pass on, and
 * those that do harm only in the hands of a loader.
 */
export function dangerousBuiltins(): readonly (DangerousName & { readonly name: string })[] {
  return DANGEROUS_NAMES.flatMap((entry) => {
    const { module, name, level, danger } = entry;
    const counts = module === "builtins" && level === "forbidden" && danger !== "indirection" &&
      danger !== "memory";
    return counts && name !== undefined ? [{ ...entry, name }] : [];
  });
}

const PARTS: ReadonlyMap<string, DangerousName> = new Map(
  [...recognizedIn("part")].map(([module, entry]) => [withoutUnderscores(module), entry]),
);

/** The module that a part of a path stands for wherever it occurs; `_os` stands for `os`. */
export function modulePart(part: string): DangerousName | undefined {
  return PARTS.get(withoutUnderscores(part));
}

function withoutUnderscores(name: string): string {
  return name.replace(/^_+/, "");
}
