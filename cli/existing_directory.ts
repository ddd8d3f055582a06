import { dirname, resolve } from "node:path";

/**
 * The directory itself if it exists, or else the nearest directory above it that does. A server would
 * create the missing ones there.
 */
export function existingDirectory(path: string): string {
  try {
    Deno.statSync(path);
    return path;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return existingDirectory(dirname(resolve(path)));
  }
}
