import type { Facts } from "../../schemas/facts.ts";
import { MIB } from "../../schemas/units.ts";
import { AppError, quoted } from "../errors.ts";
import { isTurnOver, takeTurn } from "../event_loop.ts";
import type { ResourceRecord } from "../ports.ts";
import type { ContentVerdict } from "../verdicts.ts";
import type { Tree } from "./changes.ts";
import { factsOfRecord, partsOf } from "./facts.ts";
import {
  type BomPart,
  licenses,
  modelCard,
  pedigree,
  property,
  vulnerability,
} from "./bom_parts.ts";
import { onlyTarget, type TargetRequest } from "./targets.ts";

/** Files of a bill, all of whose records are kept while it is read. */
const MAX_FILES = 10_000;
/** How long their paths are together, in characters. */
const MAX_PATHS_LENGTH = 4 * MIB;

/** A file of the bill with what is known of it. */
interface BomFile {
  readonly record: ResourceRecord;
  readonly facts: Facts;
  readonly verdict: ContentVerdict;
}

/**
 * The bill of materials of a file, or of a directory with all below it, in CycloneDX 1.6 (ECMA-424): what its
 * facts and the last scans say (C 29). The pieces of its JSON, each of some files.
 *
 * @param version The version that the request names, if it names one.
 * @throws {AppError} before the first piece: `ErrResourcesInvalidRequest` when not exactly one path or id is given,
 *   the path is invalid, or there are too many files, `ErrResourcesNotFound` when it has no record.
 */
export async function* billOfMaterials(
  tree: Tree,
  request: TargetRequest,
  version?: string,
): AsyncGenerator<string, void> {
  const record = await onlyTarget(tree, request, "make a bill of materials");
  const { facts } = await factsOfRecord(tree, record);
  const files = await filesBelow(tree, record);
  const head = JSON.stringify({
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${crypto.randomUUID()}`,
    version: 1,
    metadata: {
      timestamp: new Date().toISOString(),
      tools: { components: [{ type: "application", name: "strongroom" }] },
      component: {
        ...described(facts),
        "bom-ref": WHOLE,
        name: record.name,
        ...version !== undefined && { version },
        properties: [property("path", record.path), ...numbers(facts)],
      },
    },
  });
  yield `${head.slice(0, -1)},"components":[`;
  yield* itemsOf(
    files,
    async (some) => (await known(tree, some)).map((file) => fileComponent(file, record)),
  );
  yield `],"dependencies":[{"ref":${JSON.stringify(WHOLE)},"dependsOn":[`;
  yield* itemsOf(files, (some) => some.map((file) => refOf(file, record)));
  yield ']}],"vulnerabilities":[';
  yield* itemsOf(files, async (some) => {
    const verdicts = await tree.verdicts.of(some);
    return some.flatMap((file, index) => vulnerabilities(verdicts[index], refOf(file, record)));
  });
  yield "]}\n";
}

/** The JSON of what is made of files, between the brackets of a list. */
async function* itemsOf(
  files: readonly ResourceRecord[],
  make: (files: readonly ResourceRecord[]) => readonly unknown[] | Promise<readonly unknown[]>,
): AsyncGenerator<string, void> {
  let isFirst = true;
  for (const some of partsOf(files)) {
    if (isTurnOver()) await takeTurn();
    const items = await make(some);
    if (items.length === 0) continue;
    const list = JSON.stringify(items).slice(1, -1);
    yield isFirst ? list : `,${list}`;
    isFirst = false;
  }
}

/** The findings of a verdict. */
function vulnerabilities(verdict: ContentVerdict | undefined, ref: string): BomPart[] {
  if (verdict === undefined) return [];
  const { findings, waiver } = verdict;
  return findings.map((finding, index) => vulnerability(finding, index, { ref, waiver }));
}

const WHOLE = "model";

function fileComponent(file: BomFile, whole: ResourceRecord): BomPart {
  const { record, facts, verdict } = file;
  const { format } = facts;
  return {
    ...(format === undefined ? { type: "file" } : described(facts)),
    "bom-ref": refOf(record, whole),
    name: nameIn(record, whole),
    hashes: [
      { alg: "MD5", content: record.hash },
      ...verdict.sha256 === null ? [] : [{ alg: "SHA-256", content: verdict.sha256 }],
    ],
    properties: [
      property("size", record.size),
      property("verdict", verdict.verdict),
      ...verdict.waiver === null ? [] : [property("waiver", verdict.waiver.reason)],
      ...format === undefined ? [] : numbers(facts),
    ],
  };
}

/** What facts say of a model. */
function described(facts: Facts): BomPart {
  return {
    type: "machine-learning-model",
    ...facts.title !== undefined && { description: facts.title },
    ...licenses(facts),
    modelCard: modelCard(facts),
    ...pedigree(facts),
  };
}

/** What the format of bills has no place for. */
function numbers(facts: Facts): BomPart[] {
  const { format, format_version: version, tensors, tensor_bytes: bytes, parameters } = facts;
  const { dtypes, quantization, context_length: length, tokenizer, library } = facts;
  const types = dtypes === undefined ? undefined : Object.keys(dtypes).join(", ");
  const named = {
    format,
    format_version: version,
    tensors,
    tensor_bytes: bytes,
    parameters,
    dtypes: types,
    quantization,
    context_length: length,
    tokenizer,
    library,
  };
  return Object.entries(named).flatMap(([name, value]) =>
    value === undefined ? [] : [property(name, value)]
  );
}

function refOf(record: ResourceRecord, whole: ResourceRecord): string {
  return `file:${nameIn(record, whole)}`;
}

/** The path of a file below the directory of the bill. */
function nameIn({ path }: ResourceRecord, whole: ResourceRecord): string {
  return path === whole.path ? whole.name : path.slice(whole.path.length + 1);
}

/** All files of a record, in path order. */
async function filesBelow(tree: Tree, record: ResourceRecord): Promise<ResourceRecord[]> {
  if (!record.isDir) return [record];
  const { userId, path } = record;
  const scope = { userId, everyone: false };
  const files: ResourceRecord[] = [];
  let length = 0;
  for await (
    const page of tree.records.list({ scope, recursive: true, directories: [path], chain: [] })
  ) {
    if (isTurnOver()) await takeTurn();
    for (const file of page) {
      if (file.isDir) continue;
      files.push(file);
      length += file.path.length;
    }
    if (files.length > MAX_FILES || length > MAX_PATHS_LENGTH) {
      const limits = `${MAX_FILES} files, or their paths are too long together`;
      throw new AppError(
        "ErrResourcesInvalidRequest",
        `Cannot make a bill of materials of ${quoted(path)}: it has more than ${limits}`,
      );
    }
  }
  return files;
}

async function known(tree: Tree, records: readonly ResourceRecord[]): Promise<BomFile[]> {
  const verdicts = await tree.verdicts.of(records);
  const facts = await tree.verdicts.factsOf(records);
  return records.map((record, index) => {
    const verdict = verdicts[index];
    if (verdict === undefined) throw new Error("No verdict was returned");
    return { record, verdict, facts: facts[index]?.facts ?? {} };
  });
}
