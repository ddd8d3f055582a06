import type { SigningKey } from "../core/credentials.ts";
import { RemoteKeys } from "../core/remote_keys.ts";
import type { Settings } from "../schemas/settings.ts";
import { ensureJwtSecret } from "../storage/disk/jwt_secret.ts";
import { withSettingContext } from "./usage_error.ts";

/**
 * The key that the settings name for credentials, or else the secret in the data directory, which is
 * created if missing (C 10).
 *
 * @param onCreate Called when a secret was created.
 * @throws {UsageError} when the file of a public key cannot be read.
 */
export async function signingKey(
  { dataDir, jwtSecret: configured, jwtSecretPrevious: previous, jwtPublicKey, jwksUrl }: Settings,
  onCreate: () => void = () => {},
): Promise<SigningKey> {
  if (configured !== undefined) return { kind: "secret", secret: configured, previous };
  if (jwksUrl !== undefined) return { kind: "jwks", keys: new RemoteKeys({ url: jwksUrl }) };
  if (jwtPublicKey !== undefined) {
    const pem = await withSettingContext(
      "STRONGROOM_JWT_PUBLIC_KEY",
      jwtPublicKey,
      "a file",
      () => Deno.readTextFile(jwtPublicKey),
    );
    return { kind: "publicKey", pem };
  }
  const { secret, created } = await ensureJwtSecret(dataDir);
  if (created) onCreate();
  return { kind: "secret", secret, previous };
}
