import { ROOT } from "../support/child_server.ts";

/** Directories of the repository that are generated or hold data. */
const SKIPPED = ["node_modules", "dist", "data", "coverage", "tests/fixtures/models"];

/** The source, the tests and the documents, by paths from the root. */
export async function* textFiles(directory = ""): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(ROOT + directory)) {
    const path = directory === "" ? name : `${directory}/${name}`;
    if (name.startsWith(".") || SKIPPED.includes(path)) continue;
    if (isDirectory) yield* textFiles(path);
    else if (/\.(ts|md|sql|py)$/.test(name)) yield path;
  }
}
