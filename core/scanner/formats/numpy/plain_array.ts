import type { ByteSource } from "../../contract/source.ts";
import { countElements, parseDtype } from "./dtype.ts";
import { hasArrayMagic, readArrayHeader } from "./header.ts";

/**
 * The size that an array file of numbers has by its header, from its first bytes. Returns undefined for
 * other content, and for arrays that hold Python objects.
 */
export function plainArrayBytes(source: ByteSource): number | undefined {
  if (!hasArrayMagic(source)) return undefined;
  const header = readArrayHeader(source);
  if ("reason" in header || header.oddities.length > 0) return undefined;
  const { hasObject, itemSize } = parseDtype(header.description);
  const elements = countElements(header.shape);
  if (hasObject || itemSize === undefined || elements === undefined) return undefined;
  const bytes = BigInt(header.dataStart) + elements * itemSize;
  return bytes <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(bytes) : undefined;
}
