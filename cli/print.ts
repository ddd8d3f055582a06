import { inertLines } from "../schemas/printable.ts";

/**
 * Prints lines on stdout. Escapes what a terminal or a CI runner would take for a command, such as names of
 * files (C 25). JSON keeps its meaning.
 */
export function print(text: string): void {
  console.log(inertLines(text));
}
