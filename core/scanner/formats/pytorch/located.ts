import type { UnpackContext } from "../../contract/scanner.ts";
import type { ByteSource } from "../../contract/source.ts";
import { PickleFile } from "../pickle/pickle_file.ts";
import { storageBytes, storageType, type TorchStorage } from "../pickle/torch_storage.ts";
import type { LocatedTensor, LocatedTensors } from "../tensors/located_tensor.ts";
import { isZip, readZipStructure, type ZipMember } from "../zip/directory.ts";
import { openZipMember } from "../zip/open_member.ts";

const FORMAT = "pytorch";
const STORED = 0;
const PICKLE = /^([^/]+)\/data\.pkl$/;

/**
 * Where the storages of a ZIP archive of PyTorch are. They are numbered in the order in which they were saved, as their
 * members are. Only the pickle, which is not run, maps tensors to storages.
 */
export function locatePyTorch(source: ByteSource, context: UnpackContext): LocatedTensors {
  const none = (problem: string) => ({ format: FORMAT, tensors: [], problem });
  if (!isZip(source)) return none("The file is not a ZIP archive of PyTorch");
  const { members } = readZipStructure(source, context.limits.maxMembers);
  const [pickle, ...others] = members.filter(({ name }) => PICKLE.test(name));
  if (pickle === undefined || others.length > 0) return none("The archive has no single data.pkl");
  const opened = openZipMember(source, pickle, context);
  if (opened.incomplete !== undefined) return none("Not all of the archive can be unpacked");
  const file = new PickleFile(opened.source, context.limits);
  file.walk();
  const folder = PICKLE.exec(pickle.name)?.[1] ?? "";
  const found = new Map(members.map((member) => [member.name, member]));
  const tensors = [...file.storages.values()].map((storage) =>
    locate(storage, found.get(`${folder}/data/${storage.key}`))
  );
  // A pickle that is cut, or too long to be walked, names some of them.
  const named = new Set(file.storages.values().map(({ key }) => `${folder}/data/${key}`));
  const isWhole = members.every(({ name }) =>
    !name.startsWith(`${folder}/data/`) || name.endsWith("/") || named.has(name)
  );
  const problem = isWhole ? undefined : "Not all storages of the archive are named by its pickle";
  return { format: FORMAT, tensors, problem };
}

function locate(storage: TorchStorage, member: ZipMember | undefined): LocatedTensor {
  const bytes = storageBytes(storage);
  const isStored = member !== undefined && member.header.method === STORED &&
    member.dataSize === member.header.size;
  return {
    name: `storage ${storage.key}`,
    dtype: storageType(storage),
    shape: [storage.elements],
    bytes: bytes ?? null,
    elements: isStored
      ? { begin: member.dataStart, end: member.dataStart + member.dataSize }
      : undefined,
  };
}
