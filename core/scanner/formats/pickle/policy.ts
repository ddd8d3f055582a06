import type { RuleCode } from "../../contract/rules.ts";
import { ALLOWED_USES } from "../../knowledge/python/allowed_names.ts";
import { DANGERS } from "../../knowledge/python/danger.ts";
import {
  dangerOf,
  type DangerousName,
  dottedPath,
  exactEntry,
  modulePart,
} from "../../knowledge/python/dangerous_names.ts";
import { MODULE_RENAMES, NAME_RENAMES } from "../../knowledge/python/python2_names.ts";

/** How dangerous an import is: it never belongs in a model, is odd, is unknown, or is ordinary. */
export interface Judgment {
  readonly level: "denied" | "suspicious" | "unlisted" | "allowed";
  readonly ruleCode?: RuleCode;
  /** What the path makes possible. */
  readonly why?: string;
}

/** The module of TorchScript classes, whose code is in the archive. No Python module has this name. */
const TORCH_SCRIPT = "__torch__";

const UNLISTED: Judgment = { level: "unlisted" };
const FINE: Judgment = { level: "allowed" };

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
  const isAllowed = ALLOWED_USES.has(path);
  const found = isOsPath || isAllowed ? undefined : dangerOf(path);
  if (found?.level === "forbidden") return judgmentOf(found, "denied");
  // An allowed module exists, so a component of its path is not another module.
  const special = specialComponent(components, moduleParts, isAllowed);
  if (special !== undefined) return special;
  if (isOsPath || isAllowed || components[0] === TORCH_SCRIPT) return FINE;
  if (found === undefined || found.level === "ordinary") return UNLISTED;
  return judgmentOf(found, "suspicious");
}

function judgmentOf({ rule, danger }: DangerousName, level: Judgment["level"]): Judgment {
  return { level, ...rule !== undefined && { ruleCode: rule }, why: DANGERS[danger] };
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
    const isInner = modulePart(bare) !== undefined ||
      i >= moduleParts && i < components.length - 1 && forbidden(bare) !== undefined;
    if (isInner) return innerModule(bare);
  }
  return undefined;
}

const DUNDER: Judgment = {
  level: "denied",
  why: "Special attributes lead from any object to the interpreter and every loaded module",
};

function innerModule(bare: string): Judgment {
  const rule = forbidden(bare)?.rule;
  return {
    level: "denied",
    ...rule !== undefined && { ruleCode: rule },
    why: `Reaches the module ${bare} through another`,
  };
}

function forbidden(module: string): DangerousName | undefined {
  const found = exactEntry(module);
  return found?.level === "forbidden" ? found : undefined;
}
