import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { Buffer } from "node:buffer";
import { AppError } from "../errors.ts";

/** How long a person may take from one step to the next, in milliseconds. */
const STEP_MS = 10 * 60_000;
/** Longer texts are not ours. */
const MAX_LENGTH = 4096;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** What a step is of. One of another kind counts for nothing. */
export type StepKind = "passkey" | "registration" | "provider";

/** A step that has begun. */
export interface Step {
  readonly data: unknown;
  /** When it began, in milliseconds since the Unix epoch. */
  readonly at: number;
}

/**
 * Keeps what a sign-in has to know of its former step at the browser, encrypted by a key that all servers of a
 * database have. So people who are not signed in write nothing to the database.
 * See docs/design/signing_in.md.
 */
export class Steps {
  readonly #key: () => Promise<Uint8Array>;

  /** @param key A secret of all servers of the database. */
  constructor(key: () => Promise<Uint8Array>) {
    this.#key = key;
  }

  /** A text for the browser, which {@link end} takes for {@link STEP_MS}. */
  async begin(kind: StepKind, data: unknown): Promise<string> {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", await this.#cipherKey(kind), nonce);
    const text = JSON.stringify({ data, at: Date.now() });
    const sealed = [nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat(sealed).toString("base64url");
  }

  /** @throws {AppError} `ErrAuthRequired` when the text is not of this kind, or too old. */
  async end(kind: StepKind, text: string): Promise<Step> {
    const bytes = Buffer.from(text.slice(0, MAX_LENGTH), "base64url");
    const step = bytes.length > NONCE_BYTES + TAG_BYTES
      ? unsealed(bytes, await this.#cipherKey(kind))
      : undefined;
    if (step !== undefined && Date.now() - step.at <= STEP_MS) return step;
    throw new AppError("ErrAuthRequired", "It took too long, or did not begin here: start again");
  }

  async #cipherKey(kind: StepKind): Promise<Uint8Array> {
    return createHmac("sha256", await this.#key()).update(`sign-in ${kind}`).digest();
  }
}

function unsealed(bytes: Uint8Array, key: Uint8Array): Step | undefined {
  const end = bytes.length - TAG_BYTES;
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(bytes.subarray(end));
  try {
    const text = decipher.update(bytes.subarray(NONCE_BYTES, end), undefined, "utf8") +
      decipher.final("utf8");
    return JSON.parse(text);
  } catch {
    // It was sealed with another key, or changed since.
    return undefined;
  }
}
