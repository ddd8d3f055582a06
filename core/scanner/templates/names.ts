import type { RuleCode } from "../contract/rules.ts";
import {
  dangerousBuiltins,
  type DangerousName,
  recognizedIn,
} from "../knowledge/python/dangerous_names.ts";
import { OBJECT_DUNDERS, TELLING_DUNDERS } from "../knowledge/python/dunders.ts";

const OBJECT_WORDS: ReadonlySet<string> = new Set(OBJECT_DUNDERS);
const TELLING_WORDS: ReadonlySet<string> = new Set(TELLING_DUNDERS);

/** Attributes without underscores that lead to frames, code or globals. */
const INTERNAL: ReadonlySet<string> = new Set([
  ..."mro func_globals func_code func_closure func_defaults im_func im_self im_class".split(" "),
  ..."gi_frame gi_code cr_frame cr_code ag_frame ag_code tb_frame tb_next".split(" "),
  ..."f_globals f_locals f_builtins f_back f_code".split(" "),
]);

const FUNCTIONS: ReadonlyMap<string, DangerousName> = new Map(
  dangerousBuiltins().map((entry) => [entry.name, entry]),
);
const MODULES = recognizedIn("variable");
const METHODS = recognizedIn("method");

/** Whether a name is a dunder (`__class__`) or mangled (`_Template__context`). */
export function isDunder(name: string): boolean {
  return /^__[^]*__$/.test(name) || /^_[A-Za-z]\w*__\w/.test(name);
}

/** Whether a name is a dunder that leads from an object to its class, globals or code. */
export function isSpecialDunder(name: string): boolean {
  return isDunder(name) && name.length < 100 && OBJECT_WORDS.has(bare(name));
}

/** Whether a partly known string could be the name of such an attribute. */
export function isSpecialInParts(parts: string): boolean {
  return isDunderPart(parts) || (parts.length < 100 && TELLING_WORDS.has(bare(parts)));
}

/** Whether a string begins or ends like a dunder, so that it could become one. */
export function isDunderPart(text: string): boolean {
  const begins = text.startsWith("__");
  const ends = text.endsWith("__");
  return begins !== ends || (begins && (text === "__" || isSpecialDunder(text)));
}

function bare(name: string): string {
  return name.replaceAll("_", " ").trim().replaceAll(" ", "_");
}

/** Whether an attribute without underscores leads to frames, code or globals. */
export function isInternal(attribute: string): boolean {
  return INTERNAL.has(attribute);
}

/** Methods of strings, lists, dictionaries, times and Jinja's own objects that templates call. */
const ORDINARY_METHODS: ReadonlySet<string> = new Set(
  ("capitalize casefold center count encode decode endswith expandtabs find format format_map index " +
    "isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace " +
    "istitle isupper join ljust lower lstrip partition removeprefix removesuffix replace rfind " +
    "rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase title " +
    "translate upper zfill append clear copy extend insert pop remove reverse sort add discard " +
    "union intersection difference items keys values get update setdefault popitem fromkeys cycle " +
    "changed next reset strftime isoformat now today date time dict json model_dump to_dict")
    .split(" "),
);

/** Whether templates commonly call a method of this name on their data. */
export function isOrdinaryMethod(name: string): boolean {
  return ORDINARY_METHODS.has(name);
}

/** The rule against calling a builtin function of this name, if there is one. */
export function ruleOfFunction(name: string): RuleCode | undefined {
  return ruleOf(FUNCTIONS.get(name));
}

/** The rule against using a module of this name, if there is one. */
export function ruleOfVariable(name: string): RuleCode | undefined {
  return ruleOf(MODULES.get(name));
}

/** The rule against calling a method of this name, whatever its object, if there is one. */
export function ruleOfMethod(name: string): RuleCode | undefined {
  return ruleOf(METHODS.get(name));
}

function ruleOf(entry: DangerousName | undefined): RuleCode | undefined {
  return entry === undefined ? undefined : entry.rule ?? "S507";
}
