import type { Checklist, Finding } from "../../contract/checklist.ts";
import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import type { ByteSource } from "../../contract/source.ts";
import { decodeLatin1 } from "../../readers/bytes/bytes.ts";
import { readJson } from "../../readers/json/read_json.ts";
import { KIB, MIB } from "../../../../schemas/units.ts";

export const OPERATORS = "MXNet Operators";

const HEAD_BYTES = KIB;
const MAX_BYTES = 128 * MIB;

/** Whether content is a symbol, by its name or because it begins with a list of nodes. */
export function isSymbol(source: ByteSource, name: string): boolean {
  if (/-symbol\.json$/i.test(name)) return true;
  if (source.read(0, 1)[0] !== 0x7b) return false;
  const head = decodeLatin1(source.read(0, HEAD_BYTES));
  return /^\{\s*"nodes"\s*:\s*\[\s*\{\s*"op"\s*:/.test(head);
}

type Danger = Pick<Finding, "severity" | "why"> & { readonly does: string };

const POINTER: Danger = {
  severity: "critical",
  does: "calls a function at an address that the model names",
  why: "Loading the model makes MXNet jump to an address of the model's choice",
};

const DANGERS: ReadonlyMap<string, Danger> = new Map([
  ["_Native", POINTER],
  ["_NDArray", POINTER],
  ["_CustomFunction", POINTER],
  ["Custom", {
    severity: "warning",
    does: "calls Python code of the program that loads the model",
    why: "The code is not in the model, so what it does cannot be checked",
  }],
  ["_cvimread", {
    severity: "warning",
    does: "reads a file that the model names",
    why: "A model that computes from its inputs has no such operator",
  }],
]);

/** Checks the operators of a symbol, with those of its subgraphs. */
export function checkSymbol(
  source: ByteSource,
  checks: Checklist,
): { readonly nodes: number; readonly version: string } {
  let nodes = 0;
  let version = "";
  for (const event of readJson(source, MAX_BYTES)) {
    if (event.kind === "defect") {
      const { kind: _, ...finding } = event;
      checks.add("MXNet Model Structure", { ...finding, ruleCode: "S902" });
    }
    if (event.kind !== "value") continue;
    const [parent, key] = event.path.slice(-2);
    if (parent === "nodes" && key === "op") {
      nodes++;
      checkOperator(String(event.value), event.position, checks);
    } else if (key === "op_type" && parent !== undefined && ATTRIBUTES.has(parent)) {
      noteType(String(event.value), event.position, checks);
    } else if (parent === "attrs" && key === "mxnet_version") version = versionOf(event.value);
  }
  return { nodes, version };
}

/** What versions of MXNet name the attributes of a node. */
const ATTRIBUTES: ReadonlySet<string> = new Set(["attrs", "attr", "param"]);

function checkOperator(operator: string, position: number, checks: Checklist): void {
  const danger = DANGERS.get(operator);
  if (danger === undefined) return;
  const { does, ...rest } = danger;
  checks.add(OPERATORS, {
    ...rest,
    message: `Operator ${quotedExcerpt(operator)} ${does}`,
    position,
    ruleCode: "S810",
    details: { op: excerpt(operator) },
  });
}

function noteType(type: string, position: number, checks: Checklist): void {
  checks.add(OPERATORS, {
    severity: "info",
    message: `The custom operator is registered as ${quotedExcerpt(type)}`,
    position,
    ruleCode: "S810",
  });
}

/** `10901` is 1.9.1. */
function versionOf(value: unknown): string {
  if (typeof value !== "number") return "";
  return `${Math.floor(value / 10_000)}.${Math.floor(value / 100) % 100}.${value % 100}`;
}
