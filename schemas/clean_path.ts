/**
 * A path without what C 4 drops: white space at its ends, and empty and `.` segments. Backslashes separate, too.
 *
 * @example
 * ```ts
 * import { cleanedPath } from "./clean_path.ts";
 * cleanedPath(" models\\llama/./weights.gguf/ "); // "models/llama/weights.gguf"
 * ```
 */
export function cleanedPath(input: string): string {
  return input.trim().replaceAll("\\", "/").split("/")
    .filter((segment) => segment !== "" && segment !== ".").join("/");
}
