import type { Checklist } from "../../contract/checklist.ts";
import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import { pathEscape } from "../../knowledge/file_reference.ts";

export const OPERATORS = "Paddle Operators";
export const FILES = "Paddle File Paths";

/** What an operator does that a model for inference does not need. */
const DANGERS: ReadonlyMap<string, string> = new Map([
  ...words("calls a Python function of the process", "py_func py_layer"),
  ...words("writes files", "save save_combine"),
  ...words("reads files", "load load_combine read_file create_custom_reader"),
  ...words(
    "connects to other hosts",
    "listen_and_serv heter_listen_and_serv send recv send_and_recv send_barrier fetch_barrier " +
      "c_gen_nccl_id gen_nccl_id distributed_lookup_table",
  ),
]);

/** Attributes of operators that name a file. */
const PATH_ATTRIBUTES: ReadonlySet<string> = new Set(["file_path", "filename", "file_name"]);

function words(does: string, operators: string): (readonly [string, string])[] {
  return operators.split(" ").map((operator) => [operator, does] as const);
}

/** Reports an operator that does more than compute. */
export function checkOperator(type: string, position: number, checks: Checklist): void {
  const does = DANGERS.get(type);
  if (does === undefined) return;
  checks.add(OPERATORS, {
    severity: "warning",
    message: `Operator ${quotedExcerpt(type)} ${does}`,
    position,
    ruleCode: does.includes("files") ? "S401" : "S810",
    why: "A model for inference has no such operator",
    details: { op: excerpt(type) },
  });
}

/** Reports an attribute with a file outside the model's folder. */
export function checkAttribute(
  name: string,
  text: string,
  position: number,
  checks: Checklist,
): void {
  const danger = PATH_ATTRIBUTES.has(name) ? pathEscape(text) : undefined;
  if (danger === undefined) return;
  checks.add(FILES, {
    severity: "critical",
    message: `Attribute ${quotedExcerpt(name)} is ${danger}: ${quotedExcerpt(text)}`,
    position,
    ruleCode: "S405",
    why: "Running the program reads or writes files outside the model's folder",
  });
}
