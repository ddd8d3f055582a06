import { asError, type Log } from "../../core/log.ts";
import { parseContentUrl } from "../../schemas/content_url.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { ContentSettings } from "../../storage/stores/opening.ts";
import { lenderUrl } from "../permissions.ts";

/** The object store that the settings name, if they do. */
export function contentSettings(settings: Settings, log: Log): ContentSettings | undefined {
  const { contentUrl } = settings;
  const location = contentUrl === undefined ? undefined : parseContentUrl(contentUrl);
  if (location === undefined) return undefined;
  return {
    location,
    credentials: credentialsOf(settings),
    onFailure(error) {
      log.error("The content store fails; tried again soon", { error: asError(error) });
    },
    onLack: (error) => log.warn("The content store does not allow everything", { error }),
  };
}

function credentialsOf(settings: Settings): ContentSettings["credentials"] {
  const { s3RoleArn = "", s3WebIdentityTokenFile = "" } = settings;
  const url = lenderUrl(settings) ?? "";
  switch (settings.s3Credentials) {
    case "instance":
      return { kind: "instance", url };
    case "web-identity": {
      const readToken = () => Deno.readTextFileSync(s3WebIdentityTokenFile).trim();
      return { kind: "web-identity", url, roleArn: s3RoleArn, readToken };
    }
    case "keys":
      return {
        kind: "keys",
        read: () => ({
          accessKeyId: secretOf(settings.s3AccessKey, settings.s3AccessKeyFile) ?? "",
          secretAccessKey: secretOf(settings.s3SecretKey, settings.s3SecretKeyFile) ?? "",
          sessionToken: secretOf(settings.s3SessionToken, settings.s3SessionTokenFile),
        }),
      };
  }
}

/** A secret as its file has it now. */
function secretOf(secret: string | undefined, file: string | undefined): string | undefined {
  return file === undefined ? secret : Deno.readTextFileSync(file).trimEnd();
}
