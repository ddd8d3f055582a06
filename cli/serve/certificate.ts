import { createPrivateKey, X509Certificate } from "node:crypto";
import type { Settings } from "../../schemas/settings.ts";
import { withSettingContext } from "../usage_error.ts";

/** What a server that encrypts by itself shows its clients, as PEM. */
export interface TlsCertificate {
  /** The certificate, and those between it and an authority. */
  readonly cert: string;
  readonly key: string;
}

/**
 * Reads the certificate and its key, if the settings name them.
 *
 * @throws {UsageError} when a file cannot be read or is not what it should be, or the key is another one's.
 */
export async function readCertificate(
  { tlsCert, tlsKey }: Pick<Settings, "tlsCert" | "tlsKey">,
): Promise<TlsCertificate | undefined> {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  const { cert, certificate } = await withSettingContext(
    "STRONGROOM_TLS_CERT",
    tlsCert,
    "a PEM file with a certificate, followed by those of its authorities",
    async () => {
      const cert = await Deno.readTextFile(tlsCert);
      return { cert, certificate: new X509Certificate(cert) };
    },
  );
  return await withSettingContext(
    "STRONGROOM_TLS_KEY",
    tlsKey,
    "a PEM file with the key of the certificate in STRONGROOM_TLS_CERT",
    async () => {
      const key = await Deno.readTextFile(tlsKey);
      if (!certificate.checkPrivateKey(createPrivateKey(key))) {
        throw new Error("It is the key of another certificate");
      }
      return { cert, key };
    },
  );
}
