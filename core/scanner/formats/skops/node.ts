import type { Finding } from "../../contract/checklist.ts";
import { excerpt } from "../../contract/excerpt.ts";
import { isObject } from "../../../../schemas/json.ts";
import { stringsIn } from "../keras/config_values.ts";
import { judgeImport } from "../pickle/policy.ts";

/** Packages whose estimators and functions skops stores. */
const KNOWN = /^(?:sklearn|numpy|scipy|pandas|xgboost|lightgbm|catboost|quantile_forest)\./;

/** Classes of `operator` that skops stores. */
const OPERATORS: ReadonlySet<string> = new Set(["attrgetter", "itemgetter", "methodcaller"]);

/** Values that are searched for names of attributes. */
const MAX_VALUES = 1000;

/** What loading a node of a skops schema makes possible. */
export function checkNode(node: Readonly<Record<string, unknown>>): Finding | undefined {
  const { __loader__: loader, __module__: module, __class__: name } = node;
  if (typeof loader !== "string" || typeof module !== "string" || typeof name !== "string") {
    return undefined;
  }
  switch (loader) {
    case "OperatorFuncNode":
      return checkOperator(module, name, node);
    case "MethodNode":
      return checkMethod(module, name, node);
    default:
      return checkName(loader, module, name);
  }
}

/** Old versions take the class from `operator` whatever the module is (CVE-2025-54412). */
function checkOperator(
  module: string,
  name: string,
  node: Readonly<Record<string, unknown>>,
): Finding | undefined {
  const what = `OperatorFuncNode of ${excerpt(`${module}.${name}`)}`;
  if (module !== "operator" || !OPERATORS.has(name)) {
    return critical(`${what} calls another function of operator`);
  }
  const names = stringsIn(node, MAX_VALUES).strings.flatMap(unquoted);
  const dunder = names.find((text) => /(?:^|\.)__\w+__(?:$|\.)/.test(text));
  if (dunder !== undefined) return critical(`${what} reaches ${excerpt(dunder)}`);
  return name === "methodcaller" ? warning(`${what} calls a method by its name`) : undefined;
}

/** Old versions look the method up in an object of another type than they check (CVE-2025-54413). */
function checkMethod(
  module: string,
  name: string,
  { content }: Readonly<Record<string, unknown>>,
): Finding | undefined {
  const { func, obj } = isObject(content) ? content : {};
  const owner = isObject(obj) ? obj : {};
  const method = typeof func === "string" ? func : "";
  const path = `${module}.${name}.${method}`;
  if (owner.__module__ !== module || owner.__class__ !== name) {
    return critical(`MethodNode of ${excerpt(path)} belongs to an object of another type`);
  }
  if (/(?:^|\.)__\w+__(?:$|\.)/.test(method)) {
    return critical(`MethodNode reaches ${excerpt(path)}`);
  }
  return checkName("MethodNode", module, `${name}.${method}`);
}

function checkName(loader: string, module: string, name: string): Finding | undefined {
  const path = `${module}.${name}`;
  const { level, ruleCode, why } = judgeImport(module, name);
  const message = `${excerpt(loader)} of ${excerpt(path)}`;
  const more = { ...why !== undefined && { why }, ...ruleCode !== undefined && { ruleCode } };
  switch (level) {
    case "denied":
      return { ...critical(message), ...more };
    case "suspicious":
      return { ...warning(message), ...more };
    case "unlisted":
      return KNOWN.test(path) ? undefined : warning(`${message}, which is unknown`);
    case "allowed":
      return undefined;
  }
}

/** A string, and what it holds if it is itself JSON, as in a node of plain values. */
function unquoted(text: string): string[] {
  return [text, text.replace(/^["']|["']$/g, "")];
}

function critical(message: string): Finding {
  return { severity: "critical", ruleCode: "S104", message };
}

function warning(message: string): Finding {
  return { severity: "warning", ruleCode: "S107", message };
}
