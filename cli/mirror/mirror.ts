import { MirrorEntry } from "../../schemas/mirror.ts";
import { printLines } from "../output.ts";
import { print } from "../print.ts";
import { Connection } from "../remote/connection.ts";
import { verbArguments } from "../remote/verb.ts";
import { UsageError } from "../usage_error.ts";
import { add } from "./add.ts";
import { exportTo, importFrom } from "./archive.ts";
import { entryLine } from "./entry_line.ts";
import { isMeant, mirroredName } from "./mirrored_name.ts";
import { askedRevision, keptRevisions } from "./revisions.ts";

/** `strongroom mirror`: fetches repositories of another hub ahead, and keeps or gives up what came in (C 28). */
export async function run([command, ...args]: string[]): Promise<number> {
  switch (command) {
    case "add":
      return await add(args);
    case "ls":
      return await list(args);
    case "pin":
      return await pin(args);
    case "unpin":
      return await change(args, "unpin");
    case "rm":
      return await change(args, "rm");
    case "export":
      return await exportTo(args);
    case "import":
      return await importFrom(args);
    default:
      throw new UsageError(
        "mirror needs one of the commands add, ls, pin, unpin, rm, export, import",
      );
  }
}

async function list(args: readonly string[]): Promise<number> {
  const { values, positionals: [given, ...others] } = verbArguments(args, {});
  if (others.length > 0) {
    throw new UsageError(`Only one repository is expected, not also "${others[0]}"`);
  }
  const name = given === undefined ? undefined : mirroredName(given);
  const connection = await Connection.open(values);
  async function* lines() {
    for await (const entry of keptRevisions(connection)) {
      if (name !== undefined && !isMeant(name, entry)) continue;
      yield values.json ? JSON.stringify(entry) : entryLine(entry);
    }
  }
  await printLines(lines());
  return 0;
}

async function pin(args: readonly string[]): Promise<number> {
  const { values, positionals } = namesIn(args, "pin");
  const connection = await Connection.open(values);
  for (const given of positionals) {
    const { id } = await askedRevision(connection, mirroredName(given));
    const value = { pinned: true };
    const entry = await connection.json(MirrorEntry, "PATCH", `/mirror/${id}`, { value });
    print(values.json ? JSON.stringify(entry) : entryLine(entry));
  }
  return 0;
}

/** Unpins the revisions that names mean, or gives up their files. */
async function change(args: readonly string[], command: "unpin" | "rm"): Promise<number> {
  const { values, positionals } = namesIn(args, command);
  const connection = await Connection.open(values);
  const kept = await Array.fromAsync(keptRevisions(connection));
  const chosen = positionals.map((given) => {
    const name = mirroredName(given);
    const entries = kept.filter((entry) => isMeant(name, entry));
    if (entries.length === 0) throw new UsageError(`The mirror has nothing of "${given}"`);
    return entries;
  });
  for (const { id } of new Set(chosen.flat())) {
    const entry = command === "rm"
      ? await connection.json(MirrorEntry, "DELETE", `/mirror/${id}`)
      : await connection.json(MirrorEntry, "PATCH", `/mirror/${id}`, { value: { pinned: false } });
    print(values.json ? JSON.stringify(entry) : entryLine(entry));
  }
  return 0;
}

function namesIn(args: readonly string[], command: string) {
  const found = verbArguments(args, {});
  if (found.positionals.length > 0) return found;
  throw new UsageError(`mirror ${command} needs the names of repositories`);
}
