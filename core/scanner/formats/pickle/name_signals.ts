import { escapedExcerpt, type Signal } from "./findings.ts";

const HIDDEN = { name: "Pickle Import", severity: "critical", ruleCode: "S205" } as const;

/** The signal of an import whose name is not a constant. */
export function computedName(path: string): Omit<Signal, "position"> {
  return {
    ...HIDDEN,
    message: `Imports a computed name: ${escapedExcerpt(path)}`,
    why: "The name is built at load time, which hides what is imported",
  };
}

/** The signal of an import whose name is too long to be one. */
export function overlongName(path: string): Omit<Signal, "position"> {
  return {
    ...HIDDEN,
    message: `Imports an overlong name: ${escapedExcerpt(path)}`,
    why: "No module or class has a name this long; it serves to exhaust scanners",
  };
}
