import { asError, type Log } from "../../core/log.ts";
import { parseContentUrl } from "../../schemas/content_url.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { ContentSettings } from "../../storage/stores/opening.ts";

/** The object store that the settings name, if they do. */
export function contentSettings(
  { contentUrl, s3AccessKey, s3SecretKey, s3SessionToken }: Settings,
  log: Log,
): ContentSettings | undefined {
  const location = contentUrl === undefined ? undefined : parseContentUrl(contentUrl);
  if (location === undefined) return undefined;
  return {
    location,
    credentials: {
      accessKeyId: s3AccessKey ?? "",
      secretAccessKey: s3SecretKey ?? "",
      sessionToken: s3SessionToken,
    },
    onFailure(error) {
      log.error("The content store fails; tried again soon", { error: asError(error) });
    },
    onLack: (error) => log.warn("The content store does not allow everything", { error }),
  };
}
