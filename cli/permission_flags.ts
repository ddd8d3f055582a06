import type { Settings } from "../schemas/settings.ts";
import { authority } from "./authority.ts";
import { UsageError } from "./usage_error.ts";

/**
 * The permissions that a server of these settings needs, as flags for `deno run`.
 *
 * @param modules Folders with modules that threads read.
 * @throws {UsageError} where a path can't stand in a flag.
 */
export function permissionFlags(
  { host, port, dataDir, jwtPublicKey, jwksUrl }: Settings,
  modules: readonly string[],
): string[] {
  for (const path of [dataDir, jwtPublicKey ?? ""]) {
    // The one would end the flag, the other begin another path in it.
    if (/[\s,]/.test(path)) {
      throw new UsageError(`No white space and no comma can be in a path, as in "${path}"`);
    }
  }
  const places = [authority(host, port), ...jwksUrl === undefined ? [] : [new URL(jwksUrl).host]];
  const readable = [...modules, ...jwtPublicKey === undefined ? [] : [jwtPublicKey], dataDir];
  return [
    `--allow-net=${places.join()}`,
    `--allow-read=${readable.join()}`,
    `--allow-write=${dataDir}`,
    "--allow-env=STRONGROOM_*",
    "--allow-sys=statfs,loadavg,systemMemoryInfo",
  ];
}
