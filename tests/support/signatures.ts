import { parseSigners } from "../../core/signatures/parse.ts";
import type { TrustedSigners } from "../../core/signatures/trusted.ts";

const DIRECTORY = new URL("../fixtures/signatures/", import.meta.url);

/** What the bundles of the fixtures sign; see tests/fixtures/makers/signatures.py. */
export const SIGNED_MODEL = {
  "config.json": '{"model_type":"llama"}\n',
  "weights/model.bin": "weights",
  ".gitattributes": "*.bin filter=lfs\n",
};

/** A bundle, or what it is verified with. */
export function signatureFile(name: string): Promise<string> {
  return Deno.readTextFile(new URL(name, DIRECTORY));
}

/** @param table As in the file of rules. */
export function signersOf(table: Record<string, unknown>): TrustedSigners {
  const parsed = parseSigners(table);
  if ("problem" in parsed) throw new Error(`${parsed.keys.join(".")}: ${parsed.problem}`);
  return parsed;
}

/** Trusts the keys and the root of the fixtures. */
export async function trusted(): Promise<TrustedSigners> {
  return signersOf({
    release: { key: await signatureFile("p256.pub") },
    board: { key: await signatureFile("p384.pub") },
    staff: { certificates: await signatureFile("root.crt") },
  });
}
