import { ArchiveMemberHashes, digestMember } from "../archive/archive_member_hashes.ts";
import { Checklist } from "../../contract/checklist.ts";
import { type Codec, limitDetails, unpack, type Unpacked } from "./unpack.ts";
import { wrapperOf } from "./wrappers.ts";
import type { Check, Content, ScanContext, Scanner } from "../../contract/scanner.ts";
import { cutSource, memorySource, sourceSlice } from "../../contract/source.ts";
import { MIB } from "../../../../schemas/units.ts";

type CompressedCheck = "Compressed Content" | "Compression Ratio";

const PASSED: Readonly<Record<CompressedCheck, string>> = {
  "Compressed Content": "The content was unpacked completely",
  "Compression Ratio": "The compression ratio is not excessive",
};

const MAX_COMPRESSION_RATIO = 250;
/** Content that unpacks to fewer bytes is not reported as a bomb: honest zeros shrink as well. */
const MIN_BOMB_BYTES = 32 * MIB;
const EXTENSION = /\.(?:gz|gzip|z|zlib|zst|zstd|bz2|xz|lzma|lz4|br)$/i;

/** Scans a single compressed file, such as gzip, regardless of its name. */
export const compressedScanner: Scanner = {
  id: "compressed",
  matches: (content) => wrapperOf(content) !== undefined,
  *scan(content, context) {
    const codec = wrapperOf(content);
    if (codec !== undefined) yield* scanCompressed(content, codec, context);
  },
};

/**
 * Checks compressed content and submits what it unpacks to for scanning.
 *
 * @param id Id of the scanner, for the hash records.
 */
export function* scanCompressed(
  content: Content,
  codec: Codec,
  context: ScanContext,
  id = "compressed",
): Generator<Check, void, void> {
  const checks = new Checklist<CompressedCheck>(PASSED);
  context.addMetadata({ compression: codec });
  const unpacked = unpack(codec, content.source, undefined, context);
  yield* checkUnpacked(unpacked, codec, checks, context);
  submit(unpacked, content, context, id);
  yield* checks.finish();
}

function* checkUnpacked(
  { bytes, packedSize, incomplete }: Unpacked,
  codec: Codec,
  checks: Checklist<CompressedCheck>,
  context: ScanContext,
): Generator<Check, void, void> {
  const ratio = Math.round(bytes.length / Math.max(1, packedSize));
  const isLarge = bytes.length >= MIN_BOMB_BYTES || incomplete === "unpacked_limit";
  const bomb = isLarge && ratio > MAX_COMPRESSION_RATIO;
  if (bomb) {
    yield* checks.emit("Compression Ratio", {
      severity: "warning",
      message: `The content unpacks to at least ${ratio} times its compressed size`,
      ruleCode: "S410",
      details: { unpacked: bytes.length, ratio, limit: MAX_COMPRESSION_RATIO },
    });
  }
  if (!incomplete) return;
  const limited = incomplete === "unpacked_limit";
  yield* checks.emit("Compressed Content", {
    severity: "info",
    message: `The ${codec} content was not unpacked completely: ${incomplete}`,
    ruleCode: limited ? "S410" : "S902",
    incomplete,
    ...(limited && { operational: true }),
    details: {
      format: codec,
      unpacked: bytes.length,
      ...(limited && limitDetails(context.limits)),
    },
  });
}

/** Lists the unpacked content as the only member, and submits it and what follows it for scanning. */
function submit(
  { bytes, incomplete, packedSize }: Unpacked,
  content: Content,
  context: ScanContext,
  id: string,
): void {
  const name = unwrappedName(content.name);
  const whole = memorySource(bytes);
  const source = incomplete === "unpacked_limit" ? cutSource(whole) : whole;
  const hashes = new ArchiveMemberHashes(content, id);
  hashes.add({
    name,
    size: incomplete ? undefined : bytes.length,
    whole: !incomplete,
    digest: digestMember(source, context.limits.maxMemberBytes),
    readable: bytes.length,
  });
  context.addMetadata(hashes.facts());
  context.addAssetParts({ contents: [{ name, size: bytes.length }] });
  context.scanMember(name, source);
  const rest = content.source.size - packedSize;
  if (incomplete !== undefined || rest === 0) return;
  context.scanMember(`(bytes from ${packedSize})`, sourceSlice(content.source, packedSize, rest));
}

/** The name of the unpacked content: `model.pkl` for `model.pkl.gz`. */
function unwrappedName(name: string): string {
  const last = name.slice(name.lastIndexOf("/") + 1);
  const bare = last.replace(/\.tgz$/i, ".tar").replace(EXTENSION, "");
  return bare === "" ? "content" : bare;
}
