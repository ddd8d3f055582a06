import { AppError } from "../../core/errors.ts";
import { CONSOLE_PATH } from "../../schemas/base_path.ts";

const NAME = "strongroom_console";
/** Browsers send it to the console, and never with a request for another route of the server (C 24). */
const ATTRIBUTES = `Path=${CONSOLE_PATH}; HttpOnly; SameSite=Strict`;
/** The longest credential that a cookie holds: browsers drop one of more than 4096 bytes. */
const MAX_CREDENTIAL_LENGTH = 3800;

/**
 * `Set-Cookie` that keeps a credential until the browser ends.
 *
 * @param isSecure Whether the browser reaches the server by https.
 * @throws {AppError} `ErrResourcesInvalidRequest` when a cookie cannot hold the credential.
 */
export function credentialCookie(credential: string, isSecure: boolean): string {
  if (credential.length > MAX_CREDENTIAL_LENGTH) {
    throw new AppError(
      "ErrResourcesInvalidRequest",
      `The credential has ${credential.length} characters (maximum: ${MAX_CREDENTIAL_LENGTH})`,
    );
  }
  return cookie(credential, isSecure, "");
}

/** `Set-Cookie` that removes the credential. */
export function noCookie(isSecure: boolean): string {
  return cookie("", isSecure, "; Max-Age=0");
}

function cookie(value: string, isSecure: boolean, more: string): string {
  return `${NAME}=${value}; ${ATTRIBUTES}${isSecure ? "; Secure" : ""}${more}`;
}

/**
 * The credential in the cookie of a request.
 *
 * @throws {AppError} `ErrAuthRequired` when there is none, or several: a neighbor domain may have added one.
 */
export function cookieCredential(headers: Headers): string {
  const values = (headers.get("Cookie") ?? "").split(";").map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${NAME}=`))
    .map((pair) => pair.slice(NAME.length + 1));
  const [value = "", other] = values;
  if (other !== undefined) {
    throw new AppError(
      "ErrAuthRequired",
      "There are several cookies of the console; sign in again",
    );
  }
  if (!/^[\w\-.~+/]+=*$/.test(value)) throw new AppError("ErrAuthRequired", "Not signed in");
  return value;
}
