import type { Checklist } from "../../contract/checklist.ts";
import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import type { ByteSource } from "../../contract/source.ts";
import { pathEscape } from "../../knowledge/file_reference.ts";
import { decodeLatin1 } from "../../readers/bytes/bytes.ts";
import type { DocumentEntry } from "../../readers/document_event.ts";
import { readJson } from "../../readers/json/read_json.ts";
import { KIB, MIB } from "../../../../schemas/units.ts";
import { modelScanner } from "../model/scanner.ts";

const STRUCTURE = "OCI Manifest Structure";
const PATHS = "OCI Layer Paths";
const SOURCES = "OCI Layer Sources";
const DIGESTS = "OCI Digests";

/** How much of a manifest is searched to recognize it, and read. */
const HEAD_BYTES = 4 * KIB;
const MAX_BYTES = 16 * MIB;
const MAX_LAYERS = 1000;

/**
 * Checks manifests and indexes of OCI images and artifacts: where layers come from, and where they are
 * unpacked. The layers themselves are files of their own.
 */
export const ociScanner = modelScanner({
  id: "oci",
  structure: STRUCTURE,
  passed: {
    [STRUCTURE]: "The manifest was read completely",
    [PATHS]: "Every layer is unpacked within its folder",
    [SOURCES]: "Every layer comes from the registry of the manifest",
    [DIGESTS]: "Every digest is a SHA-256 or SHA-512",
  },
  matches: ({ source }) => isManifest(source),
  inspect({ source }, context, checks) {
    const layers: Record<string, unknown>[] = [];
    for (const event of readJson(source, MAX_BYTES)) {
      if (event.kind === "defect") {
        const { kind: _, ...finding } = event;
        checks.add(STRUCTURE, { ...finding, ruleCode: "S902" });
      }
      if (event.kind !== "value") continue;
      checkValue(event, checks);
      if (event.path.join(".") === "layers.digest" && layers.length < MAX_LAYERS) {
        layers.push({ name: excerpt(String(event.value)) });
      }
    }
    context.addMetadata({ layer_count: layers.length });
    context.addAssetParts({ contents: layers });
  },
});

function isManifest(source: ByteSource): boolean {
  if (source.read(0, 1)[0] !== 0x7b) return false;
  const head = decodeLatin1(source.read(0, HEAD_BYTES));
  return /"schemaVersion"\s*:\s*2\b/.test(head) &&
    /"(?:mediaType|layers|manifests)"\s*:/.test(head) &&
    /application\/vnd\.(?:oci|docker|ollama|cncf)\./.test(head);
}

/** The annotation with the name under which tools write a layer. */
const TITLE = "org.opencontainers.image.title";

function checkValue({ path, value, position }: DocumentEntry, checks: Checklist): void {
  if (typeof value !== "string") return;
  const key = path.at(-1);
  if (key === TITLE) checkTitle(value, position, checks);
  else if (key === "urls" && path.at(-2) === "layers") {
    checks.add(SOURCES, {
      severity: "warning",
      message: `A layer comes from elsewhere: ${quotedExcerpt(value)}`,
      position,
      ruleCode: "S309",
      why: "Whoever controls the address decides what is unpacked, unless the digest is checked",
    });
  } else if (key === "digest" && !/^sha(?:256:[\da-f]{64}|512:[\da-f]{128})$/.test(value)) {
    checks.add(DIGESTS, {
      severity: "warning",
      message: `Not the digest of a layer: ${quotedExcerpt(value)}`,
      position,
      ruleCode: /^(?:md5|sha1):/.test(value) ? "S1002" : "S405",
      why: "Tools use the digest as the path of a file, and trust it to identify the content",
    });
  }
}

function checkTitle(title: string, position: number, checks: Checklist): void {
  const danger = pathEscape(title);
  if (danger === undefined) return;
  checks.add(PATHS, {
    severity: "critical",
    message: `A layer is written to ${danger}: ${quotedExcerpt(title)}`,
    position,
    ruleCode: "S405",
  });
}
