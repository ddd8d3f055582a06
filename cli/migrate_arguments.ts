import { readSettings, SETTING_VARIABLES, type Settings } from "../schemas/settings.ts";
import { parseOptions } from "./arguments.ts";
import { nearest } from "./nearest.ts";
import { withSecretFiles } from "./secret_files.ts";
import { UsageError } from "./usage_error.ts";

/** The arguments of `strongroom migrate`. */
export interface MigrateArguments {
  readonly from: Settings;
  readonly to: Settings;
  /** The files that the settings were read from. */
  readonly files: readonly string[];
  readonly json: boolean;
}

/**
 * What is to be carried, or that an upgrade is to be finished.
 *
 * @throws {UsageError} when they do not name two strongrooms.
 */
export async function migrateArguments(
  args: readonly string[],
): Promise<MigrateArguments | "finish"> {
  const { from, to, json, finish } = parseOptions([...args], {
    finish: { type: "boolean", default: false },
    from: { type: "string" },
    to: { type: "string" },
    json: { type: "boolean", default: false },
  });
  if (finish && from === undefined && to === undefined && !json) return "finish";
  if (finish) throw new UsageError("--finish goes with no other option");
  if (from === undefined || to === undefined) {
    throw new UsageError("Both --from and --to are required");
  }
  const source = await strongroomOf("--from", from);
  const target = await strongroomOf("--to", to);
  return {
    from: source.settings,
    to: target.settings,
    files: [source.file, target.file].filter((it) => it !== undefined),
    json,
  };
}

/** The settings of a data directory without engines, or those of a file. */
async function strongroomOf(
  option: string,
  path: string,
): Promise<{ settings: Settings; file?: string }> {
  if (path === "") {
    throw new UsageError(`${option} must be a data directory or a file of settings, not ""`);
  }
  const info = await Deno.stat(path).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  });
  if (info === undefined || info.isDirectory) {
    return { settings: readSettings((name) => name === DATA_DIR ? path : undefined) };
  }
  const variables = variablesOf(await Deno.readTextFile(path), path);
  if (!variables.has(DATA_DIR)) throw new UsageError(`"${path}" does not set ${DATA_DIR}`);
  const settings = readSettings(withSecretFiles((name) => variables.get(name)));
  return { settings, file: path };
}

const DATA_DIR = "STRONGROOM_DATA_DIR";
const LINE = /^(?:export )?([A-Za-z_]\w*)=(.*)$/;
const QUOTED = /^(?:"(.*)"|'(.*)')$/;

/**
 * The variables of a file as service managers and shells read it: one a line, the value with or without
 * quotes; `#` begins a comment line.
 *
 * @throws {UsageError} when a line is not a variable, or one of strongroom is unknown.
 */
function variablesOf(text: string, path: string): Map<string, string> {
  const variables = new Map<string, string>();
  for (const [index, given] of text.split("\n").entries()) {
    const line = given.trim();
    if (line === "" || line.startsWith("#")) continue;
    const [, name = "", value = ""] = LINE.exec(line) ?? [];
    if (name === "") {
      throw new UsageError(`Line ${index + 1} of "${path}" is not of the form NAME=VALUE`);
    }
    if (name.startsWith("STRONGROOM_") && !SETTING_VARIABLES.includes(name)) refuse(name, path);
    const [, double, single] = QUOTED.exec(value) ?? [];
    variables.set(name, double ?? single ?? value);
  }
  return variables;
}

/** A mistyped setting would make another strongroom of it. Tunables of the host do not. */
function refuse(name: string, path: string): void {
  const similar = nearest(name, SETTING_VARIABLES);
  if (similar === undefined) return;
  throw new UsageError(`"${path}" sets ${name}, which is unknown; did you mean ${similar}?`);
}
