import type { Checklist } from "./checklist.ts";
import { type Extent, isSuspiciousTensorName, layoutFaults } from "./tensor_layout.ts";
import { excerpt } from "./text/excerpt.ts";

/** Adds to a check where tensors overlap, and where bytes between them belong to none. */
export function tallyLayout(check: string, extents: Extent[], checks: Checklist): void {
  checks.begin(check, "The tensors follow each other without holes and overlaps");
  for (const { kind, name, at, bytes } of layoutFaults(extents)) {
    const what = kind === "hole"
      ? `${bytes} bytes before the tensor "${excerpt(name)}" belong to none`
      : `The tensor "${excerpt(name)}" shares ${bytes} bytes with another`;
    checks.add(check, {
      message: `${what}, at ${at} of the data`,
      severity: "warning",
      ruleCode: "S902",
      details: { kind, at, bytes },
    });
  }
}

/** Adds to a check the name of a tensor, if it looks like a path or code. */
export function tallyTensorName(check: string, name: string, checks: Checklist): void {
  checks.begin(check, "No tensor has the name of a path or of code");
  if (!isSuspiciousTensorName(name)) return;
  const message = `The tensor name "${excerpt(name)}" looks like a path or code`;
  checks.add(check, { message, severity: "warning", ruleCode: "S905" });
}
