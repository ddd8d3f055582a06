/** An authenticator of WebAuthn in software, which browsers would reach by USB. */

import { Buffer } from "node:buffer";
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import type { PasskeyAnswer, PasskeyCreated } from "../../schemas/sign_in.ts";

/** What a page and its browser say. Tests replace some of it. */
export interface Said {
  readonly origin: string;
  /** @default the host of the origin */
  readonly rpId?: string;
  /** Whether the person has proved to be itself, by a finger or a PIN. @default true */
  readonly isVerified?: boolean;
  /** @default one higher each time */
  readonly counter?: number;
}

export class TestAuthenticator {
  readonly id = randomBytes(32);
  readonly #privateKey: KeyObject;
  readonly #cose: Uint8Array;
  #counter = 0;

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const { x = "", y = "" } = publicKey.export({ format: "jwk" });
    this.#privateKey = privateKey;
    // {1: 2, 3: -7, -1: 1, -2: x, -3: y}
    this.#cose = Buffer.concat([
      Buffer.from("a5010203262001215820", "hex"),
      Buffer.from(x, "base64url"),
      Buffer.from("225820", "hex"),
      Buffer.from(y, "base64url"),
    ]);
  }

  /** Makes the passkey. */
  create({ challenge }: { readonly challenge: string }, said: Said): PasskeyCreated {
    const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, 32]), this.id, this.#cose]);
    const authData = Buffer.concat([this.#data(said, 0x40), attested]);
    // {"fmt": "none", "attStmt": {}, "authData": …}
    const attestationObject = Buffer.concat([
      Buffer.from("a363666d74646e6f6e656761747453746d74a0686175746844617461", "hex"),
      Buffer.from([0x59, authData.length >> 8, authData.length & 0xff]),
      authData,
    ]);
    return {
      ...this.#answer(),
      response: {
        clientDataJSON: clientData("webauthn.create", challenge, said).toString("base64url"),
        attestationObject: attestationObject.toString("base64url"),
        transports: ["usb"],
      },
    };
  }

  /** Signs in. */
  get({ challenge }: { readonly challenge: string }, said: Said): PasskeyAnswer {
    const client = clientData("webauthn.get", challenge, said);
    const authData = this.#data(said, 0);
    const signed = Buffer.concat([authData, createHash("sha256").update(client).digest()]);
    return {
      ...this.#answer(),
      response: {
        clientDataJSON: client.toString("base64url"),
        authenticatorData: authData.toString("base64url"),
        signature: sign("sha256", signed, this.#privateKey).toString("base64url"),
      },
    };
  }

  #answer() {
    const id = this.id.toString("base64url");
    return { id, rawId: id, type: "public-key", clientExtensionResults: {} } as const;
  }

  #data(
    { origin, rpId = new URL(origin).hostname, isVerified = true, counter }: Said,
    more: number,
  ) {
    const head = Buffer.alloc(5);
    head.writeUInt8(0x01 | (isVerified ? 0x04 : 0) | more);
    head.writeUInt32BE(counter ?? ++this.#counter, 1);
    return Buffer.concat([createHash("sha256").update(rpId).digest(), head]);
  }
}

function clientData(type: string, challenge: string, { origin }: Said): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}
