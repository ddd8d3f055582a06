import type { ByteSource } from "../../contract/source.ts";
import type { LocatedTensor } from "../tensors/located_tensor.ts";
import { countElements, parseDtype, typeName } from "./dtype.ts";
import { type ArrayHeader, readArrayHeader } from "./header.ts";
import type { Literal } from "./literal.ts";

/** Where the data of an array is in its content, or why it cannot be located. */
export function locateArray(name: string, source: ByteSource): LocatedTensor | string {
  const header = readArrayHeader(source);
  if ("reason" in header) return header.message;
  const { itemSize, hasObject } = parseDtype(header.description);
  const count = countElements(header.shape);
  const bytes = itemSize === undefined || count === undefined ? undefined : itemSize * count;
  const end = bytes === undefined ? undefined : BigInt(header.dataStart) + bytes;
  const isInside = end !== undefined && end <= BigInt(source.size) && !hasObject;
  return {
    name,
    dtype: dtypeOf(header),
    shape: shapeOf(header.shape),
    bytes: bytes === undefined ? null : Number(bytes),
    elements: isInside ? { begin: header.dataStart, end: Number(end) } : undefined,
  };
}

/** The type with what else says how its bytes are read. */
function dtypeOf({ description, isFortran }: ArrayHeader): string {
  const isBig = description.kind === "text" && description.text.startsWith(">");
  const name = typeName(description) ?? "unknown";
  return `${name}${isBig ? ", big-endian" : ""}${isFortran ? ", column-major" : ""}`;
}

function shapeOf(shape: Literal): number[] {
  const items = shape.kind === "tuple" || shape.kind === "list" ? shape.items : [shape];
  return items.map((it) => it.kind === "integer" ? Math.max(0, Number(it.value)) : 0);
}
