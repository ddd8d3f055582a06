import { createHash } from "node:crypto";
import { BUNDLE_NAME, type SignatureOutcome } from "../../schemas/signatures.ts";
import { ancestorsOf, joinPath, parentOf } from "../paths.ts";
import type { BundleCache } from "../signatures/bundle_cache.ts";
import { MAX_BUNDLE_BYTES, signatureBy } from "../tree/signatures.ts";
import { type MirrorParts, refusalOf } from "./mirror.ts";
import type { MirrorSubject } from "./ports.ts";
import { smallContent } from "./small_content.ts";

/**
 * The signature on a file of another hub, by the bundle of its revision that is nearest to it (C 29). Undefined
 * before its digest is known.
 */
export async function mirroredSignature(
  parts: Pick<MirrorParts, "tree" | "caller" | "store" | "upstream">,
  bundles: BundleCache,
  { revision, file, verdict }: MirrorSubject,
): Promise<SignatureOutcome | undefined> {
  const directories = ["", ...ancestorsOf(file.path)].toReversed();
  const paths = directories.map((it) => joinPath(it, BUNDLE_NAME));
  const found = await parts.store.findEntries(revision.revision, paths);
  const bundle = paths.map((path) => found.find((it) => it.path === path && !it.isDir))
    .find((it) => it !== undefined);
  if (bundle === undefined) return { state: "unsigned" };
  const { path, size } = bundle;
  if (size > MAX_BUNDLE_BYTES) return { state: "invalid", reason: "the bundle is too large" };
  const sha256 = file.sha256 ?? verdict?.sha256;
  if (sha256 === undefined) return undefined;
  try {
    const content = await smallContent(parts, { revision, file: bundle });
    const outcome = bundles.verify(createHash("sha256").update(content).digest("hex"), content);
    return signatureBy({ path, directory: parentOf(path), outcome }, { ...file, sha256 });
  } catch (error) {
    throw refusalOf(error, revision);
  }
}
