import { inertLines } from "../schemas/printable.ts";

/**
 * Prints lines on stdout. What files, users and servers have named in them is no command to a terminal or a runner
 * of CI (C 25). JSON keeps its meaning.
 */
export function print(text: string): void {
  console.log(inertLines(text));
}
