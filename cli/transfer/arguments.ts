import { dirname } from "node:path/posix";
import { parseSize } from "../../schemas/units.ts";
import { orMissing } from "../../storage/disk/files.ts";
import { parseArguments, patterns } from "../arguments.ts";
import type { ConnectionOptions } from "../remote/connection.ts";
import { remoteDirectory, versionOption } from "../remote/verb.ts";
import { UsageError } from "../usage_error.ts";
import { type Selection, selectionOf } from "./selection.ts";

/** What happens to files that are there with other content. */
export const CONFLICTS = ["error", "skip", "replace"] as const;
export type OnConflict = typeof CONFLICTS[number];

/** Options of all transfers. */
export interface TransferOptions extends ConnectionOptions {
  readonly json: boolean;
  readonly dryRun: boolean;
  readonly selection: Selection;
  /** Bytes a second. @default unlimited */
  readonly maxRate: number | undefined;
}

const COMMON = {
  server: { type: "string" },
  tree: { type: "string" },
  json: { type: "boolean", default: false },
  "dry-run": { type: "boolean", default: false },
  include: { type: "string", multiple: true, default: [] as string[] },
  exclude: { type: "string", multiple: true, default: [] as string[] },
  bwlimit: { type: "string" },
} as const;

/** The arguments of `strongroom put` and `strongroom get`. */
export interface CopyArguments extends TransferOptions {
  readonly sources: readonly string[];
  readonly destination: string;
  readonly name: string | undefined;
  readonly onConflict: OnConflict;
}

/** @throws {UsageError} when they are not sources, a destination and known options. */
export function copyArguments(args: readonly string[]): CopyArguments {
  const { values, positionals } = parseArguments({
    args: [...args],
    options: {
      ...COMMON,
      at: { type: "string" },
      name: { type: "string" },
      "on-conflict": { type: "string", default: "error" },
    },
    strict: true,
    allowPositionals: true,
  });
  const destination = positionals.at(-1);
  const sources = positionals.slice(0, -1);
  if (destination === undefined || sources.length === 0) {
    throw new UsageError("What to copy and where to copy it to are required");
  }
  refuseEmpty(positionals);
  const { name } = values;
  const at = versionOption("--at", values.at);
  if (name !== undefined && (sources.length > 1 || !isName(name))) {
    throw new UsageError(`--name must be a name without slashes, for one source, not "${name}"`);
  }
  return {
    ...commonOptions(values),
    at,
    sources,
    destination,
    name,
    onConflict: conflictOf(values["on-conflict"]),
  };
}

function conflictOf(given: string): OnConflict {
  const found = CONFLICTS.find((it) => it === given);
  if (found !== undefined) return found;
  throw new UsageError(`--on-conflict must be one of ${CONFLICTS.join(", ")}, not "${given}"`);
}

/** Whether the destination may be a new name for what is copied, as it may be for one source without `--name`. */
export function mayBeNewName({ sources, destination, name }: CopyArguments): boolean {
  const last = destination.split(/[/\\:]/).at(-1) ?? "";
  return sources.length === 1 && name === undefined && isName(last.trim());
}

/** The directory that a file is stored in: the destination, or the one above it if it is a new name. */
export async function directoryOf(given: CopyArguments): Promise<string> {
  const { destination } = given;
  const isDirectory = !mayBeNewName(given) ||
    (await orMissing(Deno.stat(destination)))?.isDirectory === true;
  return isDirectory ? destination : dirname(destination);
}

/** Whether a text can be the name of a file. */
export function isName(text: string): boolean {
  return !["", ".", ".."].includes(text) && !text.includes("/");
}

/** The arguments of `strongroom sync`. */
export interface SyncArguments extends TransferOptions {
  /** Whether files are sent to the server. */
  readonly isUpload: boolean;
  readonly source: string;
  readonly destination: string;
  readonly deletes: boolean;
  /** Whether an empty source deletes all that the target has. */
  readonly allowsEmpty: boolean;
  readonly maxDelete: MaxDelete | undefined;
}

/** The most entries that may be deleted, or the most of a hundred of those that the target has. */
export interface MaxDelete {
  readonly count: number;
  readonly isPercentage: boolean;
}

/** @throws {UsageError} when they are not a local and a remote directory and known options. */
export function syncArguments(args: readonly string[]): SyncArguments {
  const { values, positionals } = parseArguments({
    args: [...args],
    options: {
      ...COMMON,
      at: { type: "string" },
      delete: { type: "boolean", default: false },
      "allow-empty": { type: "boolean", default: false },
      "max-delete": { type: "string" },
    },
    strict: true,
    allowPositionals: true,
  });
  const [source = "", destination = "", ...others] = positionals;
  if (positionals.length < 2 || others.length > 0 || isRemote(source) === isRemote(destination)) {
    throw new UsageError(
      "Two directories are required, of which that of the server begins with a colon: " +
        "strongroom sync models :models",
    );
  }
  refuseEmpty(positionals);
  const isUpload = isRemote(destination);
  const at = versionOption("--at", values.at);
  if (isUpload && at !== undefined) throw new UsageError("--at is for what comes from the server");
  return {
    ...commonOptions(values),
    at,
    isUpload,
    source: isUpload ? source : remoteDirectory(source),
    destination: isUpload ? remoteDirectory(destination) : destination,
    deletes: values.delete,
    allowsEmpty: values["allow-empty"],
    maxDelete: maxDeleteOf(values["max-delete"]),
  };
}

function maxDeleteOf(given: string | undefined): MaxDelete | undefined {
  if (given === undefined) return undefined;
  const [, digits, percent = ""] = /^(\d{1,15})(%?)$/.exec(given) ?? [];
  const count = Number(digits ?? Number.NaN);
  const isPercentage = percent !== "";
  if (count <= (isPercentage ? 100 : Infinity)) return { count, isPercentage };
  throw new UsageError(`--max-delete must be a number such as 100, or 10%, not "${given}"`);
}

/** An empty variable of a script would mean the current directory. */
function refuseEmpty(paths: readonly string[]): void {
  if (paths.includes("")) throw new UsageError('Invalid path "": it is empty');
}

function isRemote(text: string): boolean {
  return text.startsWith(":");
}

function commonOptions(
  { server, tree, json, include, exclude, bwlimit, "dry-run": dryRun }: ConnectionOptions & {
    json: boolean;
    include: string[];
    exclude: string[];
    bwlimit?: string;
    "dry-run": boolean;
  },
): TransferOptions {
  const selection = selectionOf({
    include: patterns("--include", include),
    exclude: patterns("--exclude", exclude),
  });
  return { server, tree, json, dryRun, selection, maxRate: rateOf(bwlimit) };
}

function rateOf(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const rate = parseSize(given);
  if (rate !== undefined && rate > 0) return rate;
  throw new UsageError(
    `--bwlimit must be the bytes of a second, such as 10MiB or 500kB, not "${given}"`,
  );
}
