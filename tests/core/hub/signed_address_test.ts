import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Caller } from "../../../core/caller.ts";
import { AppError } from "../../../core/errors.ts";
import {
  callerOfGrant,
  grantOf,
  signGrant,
  verifyGrant,
} from "../../../core/hub/signed_address.ts";

const NOW = Date.UTC(2026, 0, 1);
const DAY_MS = 24 * 60 * 60_000;
const KEY = new Uint8Array(32).fill(7);

const CALLER: Caller = {
  userId: 3,
  tree: 7,
  privileges: new Set(["resources.upload", "resources.admin"]),
  jti: "it",
  issuedAt: NOW,
  keyId: "present",
  quota: 1000,
  expiresAt: NOW + 10 * DAY_MS,
};
const OBJECT = { sha256: "ab".repeat(32), size: 12, repository: "models/a/b" };

function grant(caller: Partial<Caller> = {}) {
  return grantOf({ operation: "upload", caller: { ...CALLER, ...caller }, ...OBJECT }, NOW);
}

function refused(token: string, reason: RegExp, { key = KEY, now = NOW } = {}): void {
  assert.throws(
    () => verifyGrant(key, token, now),
    (error) =>
      error instanceof AppError && error.kind === "ErrAuthRequired" && reason.test(error.message),
    token,
  );
}

Deno.test("C 20 a signed address permits one operation on one object, and nothing else", () => {
  const verified = verifyGrant(KEY, signGrant(KEY, grant()), NOW);
  assert.deepEqual(verified, {
    operation: "upload",
    user: 3,
    tree: 7,
    jti: "it",
    issued: NOW,
    key: "present",
    quota: 1000,
    ...OBJECT,
    expires: NOW + DAY_MS,
  });
  const caller = callerOfGrant(verified);
  assert.deepEqual([...caller.privileges], ["resources.upload"]);
  assert.deepEqual([caller.userId, caller.tree, caller.quota], [3, 7, 1000]);
  const reading = callerOfGrant({ ...verified, operation: "download" });
  assert.deepEqual([...reading.privileges], ["resources.download"]);
});

Deno.test("C 20 a signed address lasts a day, and no longer than the credential", () => {
  const token = signGrant(KEY, grant());
  verifyGrant(KEY, token, NOW + DAY_MS - 1);
  refused(token, /has expired/, { now: NOW + DAY_MS });
  const short = signGrant(KEY, grant({ expiresAt: NOW + 1000 }));
  verifyGrant(KEY, short, NOW + 999);
  refused(short, /has expired/, { now: NOW + 1000 });
});

Deno.test("C 20 forged and altered tokens are refused", () => {
  const token = signGrant(KEY, grant());
  const [text = "", signature = ""] = token.split(".");
  const altered = Buffer.from(JSON.stringify({ ...grant(), size: 13 })).toString("base64url");
  refused(`${altered}.${signature}`, /is invalid/);
  refused(token, /is invalid/, { key: new Uint8Array(32).fill(8) });
  refused(signGrant(new Uint8Array(), grant()), /is invalid/);
  for (
    const other of [
      "",
      ".",
      text,
      `${text}.`,
      `.${signature}`,
      `${token}.`,
      `${token}=`,
      `${token} `,
      token.toUpperCase(),
      `${token}\n`,
      "x".repeat(100_000),
    ]
  ) {
    refused(other, /is invalid/);
  }
  for (let at = 0; at < token.length; at++) {
    const other = token[at] === "A" ? "B" : "A";
    refused(`${token.slice(0, at)}${other}${token.slice(at + 1)}`, /is invalid/);
  }
});

Deno.test("C 20 the last digit of a signature has one form", () => {
  // It has two bits that say nothing.
  const token = signGrant(KEY, grant());
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const others = [...digits].filter((digit) => digit !== token.at(-1));
  for (const digit of others) refused(token.slice(0, -1) + digit, /is invalid/);
});
