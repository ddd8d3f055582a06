import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import { executableKind } from "../../knowledge/executable_name.ts";
import { Checklist } from "../../contract/checklist.ts";
import { isPyTorchZip } from "../zip/pytorch_layout.ts";
import { isStorage, type PlacedStorage, pyTorchStorages } from "./storages.ts";
import { storageBytes } from "../pickle/torch_storage.ts";
import type { ZipMember } from "../zip/directory.ts";
import { inspectZip } from "../zip/inspection.ts";
import type { Check, Scanner } from "../../contract/scanner.ts";

type PyTorchCheck =
  | "PyTorch Archive Layout"
  | "PyTorch Archive Link"
  | "PyTorch Storage Size"
  | "TorchScript Code"
  | "PyTorch Executable Entry";

const PASSED: Readonly<Record<PyTorchCheck, string>> = {
  "PyTorch Archive Layout": "The archive has what PyTorch loads",
  "PyTorch Archive Link": "No entry is a symbolic link",
  "PyTorch Storage Size": "Every storage is as large as its elements",
  "TorchScript Code": "The archive has no code of TorchScript",
  "PyTorch Executable Entry": "No entry has the name of a program",
};

const OBJECTS = /^[^/]+\/(?:data|constants|attributes)\.pkl$/;
const STORAGE = /^[^/]+\/(?:data|tensors|constants)\/\d+$/;
const CODE = /^[^/]+\/code\/.*\.py$/;

/** ZIP archives of PyTorch, TorchScript included (scanning 2.5). */
export const pyTorchZipScanner: Scanner = {
  id: "pytorch_zip",
  matches: isPyTorchZip,
  *scan(content, context) {
    const storages = pyTorchStorages(content.source, context);
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

function* checkLayout(
  members: readonly ZipMember[],
  checks: Checklist<PyTorchCheck>,
): Generator<Check, void, void> {
  if (members.some(({ name }) => OBJECTS.test(name))) return;
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
      message: `Entry ${quotedExcerpt(name)} is code that loading the archive compiles`,
      ruleCode: "S510",
      position: start,
    });
  }
  const kind = executableKind(name);
  if (!kind) return;
  yield* checks.emit("PyTorch Executable Entry", {
    severity: "critical",
    message: `Entry ${quotedExcerpt(name)} has the name of a program`,
    ruleCode: kind,
    position: start,
  });
}

/** The largest element of a storage, in bytes. */
const MOST_ELEMENT_BYTES = 16;

/** A loader that believes the pickle reads beyond a storage that is too short (CVE-2026-24747). */
function* checkStorage(
  { name, header, start }: ZipMember,
  storage: PlacedStorage | undefined,
  checks: Checklist<PyTorchCheck>,
): Generator<Check, void, void> {
  if (storage === undefined) return;
  const { elements, type } = storage;
  const known = storageBytes(storage);
  const fits = known === undefined
    ? header.size >= elements && header.size <= elements * MOST_ELEMENT_BYTES
    : header.size === known;
  if (fits) return;
  yield* checks.emit("PyTorch Storage Size", {
    severity: "warning",
    message: `Storage ${quotedExcerpt(name)} has ${header.size} bytes for ${elements} elements of ${
      quotedExcerpt(type)
    }`,
    ruleCode: "S904",
    why: "A loader that goes by the number of elements reads beyond the storage",
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
