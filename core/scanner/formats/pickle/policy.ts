import type { RuleCode } from "../../contract/rules.ts";
import { ALLOWED_GROUPS } from "../../knowledge/python/allowed_names.ts";
import { DENIED_GROUPS, SUSPICIOUS_GROUPS } from "../../knowledge/python/denied_names.ts";
import { INNER_MODULES } from "../../knowledge/python/inner_modules.ts";
import { MODULE_RENAMES, NAME_RENAMES } from "../../knowledge/python/python2_names.ts";

/** How dangerous an import is: it never belongs in a model, is odd, is unknown, or is ordinary. */
export interface Judgment {
  readonly level: "denied" | "suspicious" | "unlisted" | "allowed";
  readonly ruleCode?: RuleCode;
  /** Why the path is listed. */
  readonly why?: string;
}

/** Splits a table into its words. */
const words = (text: string): string[] => text.trim().split(/\s+/);

interface Listed {
  readonly ruleCode?: RuleCode;
  readonly why: string;
}

const DENIED = listed(DENIED_GROUPS);
const SUSPICIOUS = listed(SUSPICIOUS_GROUPS);
const ALLOWED: ReadonlySet<string> = new Set(
  ALLOWED_GROUPS.flatMap(([module, names]) => words(names).map((name) => `${module}.${name}`)),
);
const INNER: ReadonlySet<string> = new Set(words(INNER_MODULES));

/** The module of TorchScript classes, whose code is in the archive. No Python module has this name. */
const TORCH_SCRIPT = "__torch__";

const UNLISTED: Judgment = { level: "unlisted" };
const FINE: Judgment = { level: "allowed" };

function listed(
  groups: readonly { paths: string; why: string; ruleCode?: RuleCode }[],
): ReadonlyMap<string, Listed> {
  return new Map(groups.flatMap(({ paths, ...rest }) => words(paths).map((path) => [path, rest])));
}

/**
 * Returns the path that an import refers to in Python 3. Renames Python 2 names in every protocol, and
 * trims white space, although it would make the import fail.
 */
export function canonicalPath(module: string, name: string): string {
  return renamed(module.trim(), name.trim());
}

function renamed(module: string, name: string): string {
  const whole = NAME_RENAMES.get(`${module}.${name}`);
  if (whole !== undefined) return whole;
  return dottedPath(MODULE_RENAMES.get(module) ?? module, name);
}

/** Returns `module.name`, or the module alone if the name is empty. */
export function dottedPath(module: string, name: string): string {
  return name === "" ? module : `${module}.${name}`;
}

/**
 * Judges an import by its given and its canonical path. Of two judgments, denied wins over suspicious,
 * suspicious over allowed, and allowed over unlisted.
 */
export function judgeImport(module: string, name: string): Judgment {
  const given = dottedPath(module.trim(), name.trim());
  const paths = new Set([given, canonicalPath(module, name)]);
  const judged = [...paths].map((path) => judgePath(path, module.trim()));
  for (const level of ["denied", "suspicious", "allowed"] as const) {
    const found = judged.find((judgment) => judgment.level === level);
    if (found !== undefined) return found;
  }
  return UNLISTED;
}

function judgePath(path: string, module: string): Judgment {
  const components = path.split(".");
  const moduleParts = module.split(".").length;
  const isOsPath = components[0] === "os" && components[1] === "path";
  const denied = isOsPath || ALLOWED.has(path) ? undefined : longestListed(DENIED, components);
  if (denied !== undefined) return { level: "denied", ...denied };
  // An allowed module exists, so a component of its path is not another module.
  const special = specialComponent(components, moduleParts, ALLOWED.has(path));
  if (special !== undefined) return special;
  if (isOsPath || components[0] === TORCH_SCRIPT) return FINE;
  const suspicious = longestListed(SUSPICIOUS, components);
  if (suspicious !== undefined) return { level: "suspicious", ...suspicious };
  return ALLOWED.has(path) ? FINE : UNLISTED;
}

/** The entry of the longest listed path that equals this one or contains it. */
function longestListed(
  table: ReadonlyMap<string, Listed>,
  components: readonly string[],
): Listed | undefined {
  let found: Listed | undefined;
  let path = "";
  for (const component of components.slice(0, 16)) {
    path = path === "" ? component : `${path}.${component}`;
    found = table.get(path) ?? found;
  }
  return found;
}

/** Dunder names that loaders use. */
const ORDINARY_DUNDERS: ReadonlySet<string> = new Set(["__newobj__", "__newobj_ex__"]);

/** Denies a component that reaches the interpreter, or a module through another one. */
function specialComponent(
  components: readonly string[],
  moduleParts: number,
  isListed: boolean,
): Judgment | undefined {
  for (let i = isListed ? moduleParts : 1; i < components.length; i++) {
    const component = components[i] ?? "";
    if (/^__.+__$/.test(component) && !ORDINARY_DUNDERS.has(component)) {
      if (i >= moduleParts) return DUNDER;
    }
    const bare = component.replace(/^_+/, "");
    const inner = INNER.has(bare) || (i >= moduleParts && i < components.length - 1 &&
      DENIED.has(bare));
    if (inner) return innerModule(bare);
  }
  return undefined;
}

const DUNDER: Judgment = {
  level: "denied",
  why: "Special attributes lead from any object to the interpreter and every loaded module",
};

function innerModule(bare: string): Judgment {
  const { ruleCode } = DENIED.get(bare) ?? {};
  return {
    level: "denied",
    ...(ruleCode !== undefined && { ruleCode }),
    why: `Reaches the module ${bare} through another`,
  };
}
