import { keyIds } from "../../core/credentials.ts";
import type { Agreement } from "../../schemas/agreement.ts";
import type { Settings } from "../../schemas/settings.ts";
import { signingKey } from "../signing_key.ts";

/** What `STRONGROOM_HISTORY` is by default, in milliseconds. */
const DEFAULT_HISTORY_MS = 30 * 86_400_000;

/** The settings that all servers of a database share (C 23). */
export async function agreementOf(settings: Settings): Promise<Agreement> {
  const [key = settings.jwksUrl] = keyIds(await signingKey(settings));
  return {
    secret: texts({
      "the key of credentials": key,
      STRONGROOM_JWT_ISSUER: settings.jwtIssuer,
      STRONGROOM_JWT_AUDIENCE: settings.jwtAudience,
    }),
    gate: texts({
      STRONGROOM_GATE: settings.gate,
      STRONGROOM_GATE_ACCEPT: settings.gateAccept,
      STRONGROOM_GATE_UNKNOWN: settings.gateUnknown,
    }),
    limits: texts({
      STRONGROOM_MAX_UPLOAD_FILE_SIZE: settings.maxUploadFileSize,
      STRONGROOM_MAX_UPLOAD_FILES: settings.maxUploadFiles,
      STRONGROOM_MAX_UPLOAD_TOTAL_SIZE: settings.maxUploadTotalSize,
      STRONGROOM_MAX_UPLOAD_REQUEST_SIZE: settings.maxUploadRequestSize,
      STRONGROOM_USER_QUOTA: settings.userQuota,
      STRONGROOM_RATE_LIMIT: settings.rateLimit,
      // A server of an earlier version states nothing of it. Beside one with the default, its changes are kept, too.
      ...(settings.history !== DEFAULT_HISTORY_MS &&
        { STRONGROOM_HISTORY: `${settings.history / 1000}s` }),
      ...(settings.historyMaxBytes !== undefined && {
        STRONGROOM_HISTORY_MAX_BYTES: settings.historyMaxBytes,
      }),
    }),
    // As above.
    ...(settings.mirrorUrl !== undefined && {
      mirror: texts({
        STRONGROOM_MIRROR_URL: settings.mirrorUrl,
        STRONGROOM_MIRROR_HOSTS: settings.mirrorHosts,
        STRONGROOM_MIRROR_FRESH: `${settings.mirrorFresh / 1000}s`,
        STRONGROOM_MIRROR_MAX_BYTES: settings.mirrorMaxBytes,
        STRONGROOM_OWN_NAMESPACES: settings.ownNamespaces,
      }),
    }),
  };
}

function texts(values: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, String(value ?? "none")]),
  );
}
