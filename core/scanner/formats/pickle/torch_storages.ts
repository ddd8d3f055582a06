import type { ScanLimits } from "../../contract/scanner.ts";
import type { ByteSource } from "../../contract/source.ts";
import { PickleFile } from "./pickle_file.ts";
import type { TorchStorage } from "./torch_storage.ts";

/** The storages that the pickles in a content ask for, by their keys. */
export function torchStorages(
  source: ByteSource,
  limits: ScanLimits,
): ReadonlyMap<string, TorchStorage> {
  const file = new PickleFile(source, limits);
  file.walk();
  return file.storages;
}
