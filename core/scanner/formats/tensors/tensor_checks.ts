import { quotedExcerpt } from "../../contract/excerpt.ts";
import type { Checklist } from "../../contract/checklist.ts";
import { layoutFaults, type TensorExtent } from "./layout_faults.ts";

/** Adds to a check where tensors overlap, and where bytes between them belong to none. */
export function checkExtents(check: string, extents: TensorExtent[], checks: Checklist): void {
  checks.begin(check, "The tensors follow each other without holes and overlaps");
  for (const { kind, name, at, bytes } of layoutFaults(extents)) {
    const what = kind === "hole"
      ? `${bytes} bytes before the tensor ${quotedExcerpt(name)} belong to none`
      : `The tensor ${quotedExcerpt(name)} shares ${bytes} bytes with another`;
    checks.add(check, {
      message: `${what}, at ${at} of the data`,
      severity: "warning",
      ruleCode: "S902",
      details: { kind, at, bytes },
    });
  }
}

/** Names that some program could take for a path or for code. */
const SUSPICIOUS_NAME =
  /\.\.[\\/]|^\/(?:etc|proc|root)\/|\\[xu]|<script|javascript:|\b(?:eval|exec)\(|\p{Cc}/iu;

/** Adds to a check the name of a tensor, if it looks like a path or code. */
export function checkTensorName(check: string, name: string, checks: Checklist): void {
  checks.begin(check, "No tensor has the name of a path or of code");
  if (!SUSPICIOUS_NAME.test(name)) return;
  const message = `The tensor name ${quotedExcerpt(name)} looks like a path or code`;
  checks.add(check, { message, severity: "warning", ruleCode: "S905" });
}
