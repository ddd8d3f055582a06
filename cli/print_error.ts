import { inertLines } from "../schemas/printable.ts";

/** Prints a problem on stderr, as inert as what `print` prints. */
export function printError(message: string): void {
  console.error(inertLines(`strongroom: ${message}`));
}
