import { pem, X509Certificate } from "@sigstore/core";
import { createPublicKey } from "node:crypto";
import * as v from "valibot";
import { pathMatcher } from "../glob.ts";
import type { TrustedSigners } from "./trusted.ts";
import { digestFor, type Signer, verifyBundle } from "./verify.ts";

const MAX_SIGNERS = 50;

const text = v.pipe(v.string("expected a text"), v.trim(), v.minLength(1, "expected a text"));

/** A text that something is made of, or else the reason why not. */
function made<Made>(expected: string, make: (text: string) => Made | undefined) {
  return v.pipe(
    text,
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      try {
        const found = make(dataset.value);
        if (found !== undefined) return found;
      } catch {
        // What is wrong with it is not for people.
      }
      addIssue({ message: `expected ${expected}` });
      return NEVER;
    }),
  );
}

const key = made("a public key of P-256, P-384 or P-521 in PEM", (given) => {
  const found = createPublicKey(given);
  return digestFor(found) === undefined ? undefined : found;
});

const certificates = made("certificates in PEM", (given) => {
  const all = given.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  return all?.map((it) => X509Certificate.parse(pem.toDER(it)));
});

const identities = v.pipe(
  v.unknown(),
  v.transform((given) => Array.isArray(given) ? given : [given]),
  v.array(text),
  v.minLength(1, "expected a text or a list of texts"),
  v.transform((all) => all.map((it) => pathMatcher(`/${it}`))),
);

const SignerTable = v.pipe(
  v.strictObject(
    {
      key: v.optional(key),
      certificates: v.optional(certificates),
      identity: v.optional(identities),
    },
    ({ expected, received }) =>
      expected === "never" ? "no signer has this" : `expected a table, not ${received}`,
  ),
  v.check(
    ({ key, certificates }) => (key === undefined) !== (certificates === undefined),
    "expected either key or certificates",
  ),
  v.check(
    ({ key, identity }) => key === undefined || identity === undefined,
    "a key names nobody: it has no identity",
  ),
);

/** The part `[signatures]` of the file of rules. */
const SignaturesTable = v.pipe(
  v.record(
    v.pipe(
      v.string(),
      v.regex(
        /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
        "expected a name of up to 64 letters, digits, dashes and underscores",
      ),
    ),
    SignerTable,
    "expected tables such as [signatures.release]",
  ),
  v.check(
    (all) => Object.keys(all).length <= MAX_SIGNERS,
    `expected ${MAX_SIGNERS} signers at most`,
  ),
);

/** What is wrong in `[signatures]`, and where: the keys that lead to it from there. */
export interface SignersProblem {
  readonly keys: readonly string[];
  readonly problem: string;
}

/** Reads `[signatures]` of the file of rules (C 29). */
export function parseSigners(table: unknown): TrustedSigners | SignersProblem {
  const parsed = v.safeParse(SignaturesTable, table);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    return { keys: (issue.path ?? []).map(({ key }) => String(key)), problem: issue.message };
  }
  const signers = Object.entries(parsed.output).map(([name, it]) => signerOf(name, it));
  return {
    names: signers.map(({ name }) => name),
    verify: (content) => verifyBundle(content, signers),
  };
}

function signerOf(
  name: string,
  { key, certificates = [], identity: identities }: v.InferOutput<typeof SignerTable>,
): Signer {
  return key === undefined
    ? { name, kind: "certificates", roots: certificates, identities }
    : { name, kind: "key", key };
}
