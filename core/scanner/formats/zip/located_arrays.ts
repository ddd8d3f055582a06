import { createHash } from "node:crypto";
import type { UnpackContext } from "../../contract/scanner.ts";
import { type ByteSource, sourceSlice } from "../../contract/source.ts";
import { hasArrayMagic } from "../numpy/header.ts";
import { locateArray } from "../numpy/located.ts";
import type { LocatedTensor, LocatedTensors } from "../tensors/located_tensor.ts";
import { isZip, readZipStructure, type ZipMember } from "./directory.ts";
import { openZipMember } from "./open_member.ts";

const FORMAT = "numpy";
const STORED = 0;
/** The name of the one array of a file. */
const ARRAY = "array";

/** Where the arrays of a file of NumPy are. Those that are compressed are unpacked within the limits. */
export function locateNumpy(source: ByteSource, context: UnpackContext): LocatedTensors {
  if (hasArrayMagic(source)) {
    const array = locateArray(ARRAY, source);
    return typeof array === "string"
      ? { format: FORMAT, tensors: [], problem: array }
      : { format: FORMAT, tensors: [array] };
  }
  if (isZip(source)) return locateMembers(source, context);
  return { format: FORMAT, tensors: [], problem: "The file is neither an array nor an archive" };
}

function locateMembers(archive: ByteSource, context: UnpackContext): LocatedTensors {
  const tensors: LocatedTensor[] = [];
  let problem: string | undefined;
  const { members } = readZipStructure(archive, context.limits.maxMembers);
  for (const member of members) {
    const found = locateMember(archive, member, context);
    if (typeof found === "string") problem ??= found;
    else tensors.push(found);
  }
  return { format: FORMAT, tensors, problem };
}

/** The array of a member, or why it has none. */
function locateMember(
  archive: ByteSource,
  member: ZipMember,
  context: UnpackContext,
): LocatedTensor | string {
  const { source, incomplete } = openZipMember(archive, member, context);
  if (incomplete !== undefined) return "Not all of the archive can be unpacked";
  if (!hasArrayMagic(source)) return "Not all of the archive are arrays";
  const array = locateArray(member.name.replace(/\.npy$/, ""), source);
  if (typeof array === "string") return array;
  const { elements } = array;
  if (elements === undefined) return array;
  if (member.header.method === STORED) {
    const { dataStart: start } = member;
    return { ...array, elements: { begin: start + elements.begin, end: start + elements.end } };
  }
  return {
    ...array,
    elements: undefined,
    digest: sha256Of(sourceSlice(source, elements.begin, elements.end - elements.begin)),
  };
}

function sha256Of(source: ByteSource): string {
  return createHash("sha256").update(source.read(0, source.size)).digest("hex");
}
