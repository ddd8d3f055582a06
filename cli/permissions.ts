import { fileURLToPath } from "node:url";
import type { Settings } from "../schemas/settings.ts";
import { parseOptions } from "./arguments.ts";
import { authority, loadSettings } from "./environment.ts";
import { UsageError } from "./usage_error.ts";

/** `strongroom permissions`: prints the permissions that the settings need, as flags for `deno run`. */
export function run(args: string[]): number {
  parseOptions(args, {});
  // A worker reads its modules as files.
  const modules = ["../core", "../schemas", "../storage"].map((folder) =>
    fileURLToPath(new URL(folder, import.meta.url))
  );
  console.log(permissionFlags(loadSettings(), modules).join(" "));
  return 0;
}

function permissionFlags(settings: Settings, modules: readonly string[]): string[] {
  const { dataDir, jwtPublicKey, jwksUrl } = settings;
  for (const path of [dataDir, jwtPublicKey ?? ""]) {
    // White space would end the flag, and a comma would begin another path in it.
    if (/[\s,]/.test(path)) {
      throw new UsageError(`A path must not contain white space or a comma: "${path}"`);
    }
  }
  const hosts = [authority(settings), ...jwksUrl === undefined ? [] : [new URL(jwksUrl).host]];
  const readable = [...modules, ...jwtPublicKey === undefined ? [] : [jwtPublicKey], dataDir];
  return [
    `--allow-net=${hosts.join()}`,
    `--allow-read=${readable.join()}`,
    `--allow-write=${dataDir}`,
    "--allow-env=STRONGROOM_*",
    "--allow-sys=statfs,loadavg,systemMemoryInfo",
  ];
}
