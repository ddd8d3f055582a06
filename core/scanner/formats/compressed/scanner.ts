import { digestMember } from "../archive/read_through.ts";
import { ArchiveMemberHashes } from "../archive/archive_member_hashes.ts";
import { Checklist } from "../../contract/checklist.ts";
import { unpack, type Unpacked } from "./unpack.ts";
import { type Wrapper, wrapperOf } from "./wrappers.ts";
import type { Check, Content, ScanContext, Scanner } from "../../contract/scanner.ts";
import { memorySource } from "../../contract/source.ts";
import { MIB } from "../../../../schemas/units.ts";

type CompressedCheck = "Compressed Content" | "Compression Ratio";

const PASSED: Readonly<Record<CompressedCheck, string>> = {
  "Compressed Content": "The content could be unpacked to its end",
  "Compression Ratio": "The content does not unpack to a multiple out of all proportion",
};

const MOST_RATIO = 250;
const LEAST_BOMB = MIB;
const EXTENSION = /\.(?:gz|gzip|z|zlib|zst|zstd|bz2|xz|lzma|lz4)$/i;

/** One file in a compression, such as gzip, of a name that need not say so. */
export const compressedScanner: Scanner = {
  id: "compressed",
  matches: ({ source }) => wrapperOf(source) !== undefined,
  *scan(content, context) {
    const wrapper = wrapperOf(content.source);
    if (!wrapper) return;
    const checks = new Checklist<CompressedCheck>(PASSED);
    context.addMetadata({ compression: wrapper.format });
    yield* wrapper.codec
      ? unwrap(wrapper, content, context, checks)
      : checks.emit("Compressed Content", {
        severity: "info",
        message: `Content of ${wrapper.format} is not unpacked`,
        incomplete: "unsupported_compression",
        details: { format: wrapper.format },
      });
    yield* checks.finish();
  },
};

function* unwrap(
  { codec }: Extract<Wrapper, { codec: string }>,
  content: Content,
  context: ScanContext,
  checks: Checklist<CompressedCheck>,
): Generator<Check, void, void> {
  const unpacked = unpack(codec, content.source, undefined, context);
  const ratio = Math.round(unpacked.bytes.length / Math.max(1, unpacked.packedSize));
  const bomb = unpacked.bytes.length >= LEAST_BOMB && ratio > MOST_RATIO;
  if (bomb) yield* bombFinding(unpacked, ratio, checks);
  if (unpacked.incomplete) {
    const limited = unpacked.incomplete === "unpacked_limit";
    yield* checks.emit("Compressed Content", {
      severity: "info",
      message: `Content of ${codec} could not be unpacked to its end: ${unpacked.incomplete}`,
      ruleCode: limited ? "S410" : "S902",
      incomplete: unpacked.incomplete,
      ...(limited && !bomb && { operational: true }),
      details: { format: codec, unpacked: unpacked.bytes.length },
    });
  }
  offer(unpacked, content, context);
}

function* bombFinding(
  { bytes }: Unpacked,
  ratio: number,
  checks: Checklist<CompressedCheck>,
): Generator<Check, void, void> {
  yield* checks.emit("Compression Ratio", {
    severity: "warning",
    message: `The content unpacks to ${ratio} times its size, and more`,
    ruleCode: "S410",
    details: { unpacked: bytes.length, ratio, limit: MOST_RATIO },
  });
}

function offer({ bytes, incomplete }: Unpacked, content: Content, context: ScanContext): void {
  const name = unwrappedName(content.name);
  const source = memorySource(bytes);
  const hashes = new ArchiveMemberHashes(content, "compressed");
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
}

/** The name of what is in a compressed file: `model.pkl` for `model.pkl.gz`. */
function unwrappedName(name: string): string {
  const last = name.slice(name.lastIndexOf("/") + 1);
  const bare = last.replace(/\.tgz$/i, ".tar").replace(EXTENSION, "");
  return bare === "" ? "content" : bare;
}
