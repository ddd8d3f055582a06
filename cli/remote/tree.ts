import * as v from "valibot";
import { printable } from "../../schemas/printable.ts";
import { counted } from "../terminal_text.ts";
import { UsageError } from "../usage_error.ts";
import { Connection } from "./connection.ts";
import { listing } from "./listing.ts";
import { printLines } from "../output.ts";
import { remoteDirectory, verbArguments } from "./verb.ts";

const Depth = v.pipe(v.string(), v.regex(/^[1-9]\d{0,2}$/), v.transform(Number));

/** `strongroom tree`: lists a directory of a server and those below it, indented (C 25). */
export async function run(args: string[]): Promise<number> {
  const { values, positionals: [given = "", ...others] } = verbArguments(args, {
    depth: { type: "string", default: "256" },
  });
  if (others.length > 0) throw new UsageError(`Only one path is expected, not also "${others[0]}"`);
  const depth = v.safeParse(Depth, values.depth);
  if (!depth.success) {
    throw new UsageError(`--depth must be a number of levels from 1 to 999, not "${values.depth}"`);
  }
  if (values.json) throw new UsageError("tree has no JSON: use strongroom ls -R --json");
  const path = remoteDirectory(given);
  const connection = await Connection.open(values);
  await printLines(new TreeLines(connection, depth.output).all(path));
  return 0;
}

/** The lines of a tree: of each directory the files, then its directories. */
class TreeLines {
  #files = 0;
  #directories = 0;

  constructor(readonly connection: Connection, readonly depth: number) {}

  async *all(path: string): AsyncGenerator<string> {
    yield `${printable(path)}/`;
    yield* this.#below(path, 1);
    const directories = counted(this.#directories, "directory", "directories");
    yield `${directories}, ${counted(this.#files, "file")}`;
  }

  async *#below(path: string, level: number): AsyncGenerator<string> {
    const indent = "  ".repeat(level);
    const names: string[] = [];
    for await (const batch of listing(this.connection, path)) {
      for (const { name, is_dir: isDirectory } of batch) {
        if (isDirectory) names.push(name);
        else yield indent + printable(name);
      }
      this.#files += batch.filter((it) => !it.is_dir).length;
    }
    this.#directories += names.length;
    for (const name of names) {
      yield `${indent}${printable(name)}/`;
      if (level < this.depth) yield* this.#below(path === "" ? name : `${path}/${name}`, level + 1);
    }
  }
}
