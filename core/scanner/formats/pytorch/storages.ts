import { storageBytes, type TorchStorage } from "../pickle/torch_storage.ts";
import { torchStorages } from "../pickle/torch_storages.ts";
import type { ScanContext } from "../../contract/scanner.ts";
import type { ByteSource } from "../../contract/source.ts";
import { readZipStructure, type ZipMember } from "../zip/directory.ts";
import { openZipMember } from "../zip/open_member.ts";

/** A storage that the pickle of an archive asks for, at the member that is to hold it. */
export interface PlacedStorage extends TorchStorage {
  readonly member: string;
}

const PICKLE = /^([^/]+)\/data\.pkl$/;

/**
 * The storages that `data.pkl` asks for, by the names of their members. None where there are several:
 * readers differ in which of them counts.
 */
export function pyTorchStorages(
  archive: ByteSource,
  context: ScanContext,
): ReadonlyMap<string, PlacedStorage> {
  const { members } = readZipStructure(archive, context.limits.maxMembers);
  const [pickle, ...others] = members.filter(({ name }) => PICKLE.test(name));
  if (pickle === undefined || others.length > 0) return new Map();
  const folder = PICKLE.exec(pickle.name)?.[1] ?? "";
  const { source } = openZipMember(archive, pickle, context);
  return new Map(
    [...torchStorages(source, context.limits).values()].map((storage) => {
      const member = `${folder}/data/${storage.key}`;
      return [member, { ...storage, member }];
    }),
  );
}

/** Whether a member is the storage that the pickle asks for, of just the size that it asks for. */
export function isStorage(
  storages: ReadonlyMap<string, PlacedStorage>,
  { name, header }: ZipMember,
  bytes: number,
): boolean {
  const storage = storages.get(name);
  return storage !== undefined && header.method === 0 && storageBytes(storage) === bytes;
}
