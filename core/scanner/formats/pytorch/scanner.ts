import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import { executableKind } from "../../knowledge/executable_name.ts";
import { Checklist } from "../../contract/checklist.ts";
import { isPyTorchZip } from "../zip/pytorch_layout.ts";
import { PickleFile } from "../pickle/pickle_file.ts";
import { storageBytes, type TorchStorage } from "../pickle/torch_storage.ts";
import { readZipStructure, type ZipMember } from "../zip/directory.ts";
import { inspectZip } from "../zip/inspection.ts";
import { openZipMember } from "../zip/open_member.ts";
import type { Check, ScanContext, Scanner } from "../../contract/scanner.ts";
import type { ByteSource } from "../../contract/source.ts";

type PyTorchCheck =
  | "PyTorch Archive Layout"
  | "PyTorch Archive Link"
  | "PyTorch Storage Size"
  | "TorchScript Code"
  | "PyTorch Executable Entry";

const PASSED: Readonly<Record<PyTorchCheck, string>> = {
  "PyTorch Archive Layout": "The archive contains a pickle that PyTorch loads",
  "PyTorch Archive Link": "No entry is a symbolic link",
  "PyTorch Storage Size": "Every storage has the size of its elements",
  "TorchScript Code": "The archive contains no TorchScript code",
  "PyTorch Executable Entry": "No entry is named like a program",
};

const PICKLES = /^[^/]+\/(?:data|constants|attributes)\.pkl$/;
/** `data.pkl` holds the model and refers to storages; the other pickles belong to TorchScript. */
const MODEL_PICKLE = /^([^/]+)\/data\.pkl$/;
const STORAGE = /^[^/]+\/(?:data|tensors|constants)\/\d+$/;
const CODE = /^[^/]+\/code\/.*\.py$/;

/** Scans ZIP archives of PyTorch and TorchScript (scanning 2.5). */
export const pyTorchZipScanner: Scanner = {
  id: "pytorch_zip",
  matches: isPyTorchZip,
  *scan(content, context) {
    context.addFacts({ format: "pytorch" });
    const storages = referencedStorages(content.source, context);
    const members = yield* inspectZip(content, context, {
      scanner: "pytorch_zip",
      isWeights: (member, bytes) => isStorage(storages, member, bytes),
    });
    const checks = new Checklist<PyTorchCheck>(PASSED);
    yield* checkLayout(members, checks);
    for (const member of members) {
      yield* checkMember(member, checks);
      yield* checkStorage(member, storages.get(member.name), checks);
    }
    yield* checks.finish();
    context.addMetadata(facts(members));
  },
};

/** Storages by the name of the member that holds them. */
type StorageMembers = ReadonlyMap<string, TorchStorage>;

/**
 * Returns the storages that `data.pkl` refers to. Returns none if the archive has several of these
 * pickles, because readers differ in which one they load.
 */
function referencedStorages(archive: ByteSource, context: ScanContext): StorageMembers {
  const { members } = readZipStructure(archive, context.limits.maxMembers);
  const [pickle, ...others] = members.filter(({ name }) => MODEL_PICKLE.test(name));
  if (pickle === undefined || others.length > 0) return new Map();
  const folder = MODEL_PICKLE.exec(pickle.name)?.[1] ?? "";
  const { source } = openZipMember(archive, pickle, context);
  const file = new PickleFile(source, context.limits);
  file.walk();
  return new Map(
    [...file.storages.values()].map((storage) => [`${folder}/data/${storage.key}`, storage]),
  );
}

/** Whether a member is a storage that the pickle refers to, stored, and of the declared size. */
function isStorage(storages: StorageMembers, { name, header }: ZipMember, bytes: number): boolean {
  const storage = storages.get(name);
  return storage !== undefined && header.method === 0 && storageBytes(storage) === bytes;
}

function* checkLayout(
  members: readonly ZipMember[],
  checks: Checklist<PyTorchCheck>,
): Generator<Check, void, void> {
  if (members.some(({ name }) => PICKLES.test(name))) return;
  yield* checks.emit("PyTorch Archive Layout", {
    severity: "info",
    message: "The archive has no data.pkl",
    ruleCode: "S902",
  });
}

function* checkMember(
  { name, entry, start }: ZipMember,
  checks: Checklist<PyTorchCheck>,
): Generator<Check, void, void> {
  if (entry && (entry.mode & 0o170000) === 0o120000) {
    yield* checks.emit("PyTorch Archive Link", {
      severity: "warning",
      message: `Entry ${quotedExcerpt(name)} is a symbolic link, which PyTorch never writes`,
      ruleCode: "S406",
      position: start,
    });
  }
  if (CODE.test(name)) {
    yield* checks.emit("TorchScript Code", {
      severity: "info",
      message: `Entry ${quotedExcerpt(name)} is TorchScript code, which loading compiles`,
      ruleCode: "S510",
      position: start,
    });
  }
  const kind = executableKind(name);
  if (!kind) return;
  yield* checks.emit("PyTorch Executable Entry", {
    severity: "critical",
    message: `Entry ${quotedExcerpt(name)} is named like a program`,
    ruleCode: kind,
    position: start,
  });
}

/** Size of the largest element type. */
const MAX_ELEMENT_BYTES = 16;

/** A loader that trusts the pickle reads past the end of a short storage (CVE-2026-24747). */
function* checkStorage(
  { name, header, start }: ZipMember,
  storage: TorchStorage | undefined,
  checks: Checklist<PyTorchCheck>,
): Generator<Check, void, void> {
  if (storage === undefined) return;
  const { elements, type } = storage;
  const known = storageBytes(storage);
  const fits = known === undefined
    ? header.size >= elements && header.size <= elements * MAX_ELEMENT_BYTES
    : header.size === known;
  if (fits) return;
  yield* checks.emit("PyTorch Storage Size", {
    severity: "warning",
    message: `Storage ${quotedExcerpt(name)} has ${header.size} bytes for ${elements} elements of ${
      quotedExcerpt(type)
    }`,
    ruleCode: "S904",
    why: "A loader that trusts the number of elements reads past the end of the storage",
    position: start,
  });
}

function facts(members: readonly ZipMember[]): Record<string, unknown> {
  const storages = members.filter(({ name }) => STORAGE.test(name));
  const pickles = members.filter(({ name }) => name.endsWith(".pkl")).map(({ name }) => name);
  return {
    pickle_files: pickles.slice(0, 100).map(excerpt),
    storage_count: storages.length,
    storage_bytes: storages.reduce((total, { dataSize }) => total + dataSize, 0),
  };
}
