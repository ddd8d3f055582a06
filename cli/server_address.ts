import type { Settings } from "../schemas/settings.ts";
import { authority, protocolOf } from "./environment.ts";

/** Hosts that stand for all addresses of this machine. */
const ANY_HOST: ReadonlySet<string> = new Set(["0.0.0.0", "::", "[::]"]);

/** The URL under which people reach the server: that of the settings, or else that of this machine. */
export function serverAddress(settings: Settings): string {
  const { publicUrl, origin, host, port } = settings;
  const own = { host: ANY_HOST.has(host) ? "localhost" : host, port };
  return publicUrl ?? origin ?? `${protocolOf(settings)}//${authority(own)}`;
}
