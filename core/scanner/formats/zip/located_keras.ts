import type { UnpackContext } from "../../contract/scanner.ts";
import type { ByteSource } from "../../contract/source.ts";
import { locateHdf5 } from "../hdf5/located.ts";
import { digestRanges } from "../tensors/digest_ranges.ts";
import type { LocatedTensor, LocatedTensors } from "../tensors/located_tensor.ts";
import { isZip, readZipStructure, type ZipMember } from "./directory.ts";
import { openZipMember } from "./open_member.ts";

const FORMAT = "keras";
const STORED = 0;
/** A member with weights: one, or several that share them. */
const WEIGHTS = /\.h5$/i;

/** Where the weights of a model of Keras are, which is an archive of HDF5 files and configurations. */
export function locateKeras(source: ByteSource, context: UnpackContext): LocatedTensors {
  if (!isZip(source)) {
    return { format: FORMAT, tensors: [], problem: "The file is not an archive of Keras" };
  }
  const tensors: LocatedTensor[] = [];
  let problem: string | undefined;
  const { members } = readZipStructure(source, context.limits.maxMembers);
  for (const member of members) {
    if (!WEIGHTS.test(member.name)) continue;
    const found = locateMember(source, member, context);
    tensors.push(...found.tensors);
    problem ??= found.problem;
  }
  return { format: FORMAT, tensors, problem };
}

function locateMember(
  archive: ByteSource,
  member: ZipMember,
  context: UnpackContext,
): Pick<LocatedTensors, "tensors" | "problem"> {
  const { source, incomplete } = openZipMember(archive, member, context);
  if (incomplete !== undefined) {
    return { tensors: [], problem: "Not all of the archive can be unpacked" };
  }
  const { tensors, problem } = locateHdf5(source, context);
  if (member.header.method !== STORED) return { tensors: digested(source, tensors), problem };
  const start = member.dataStart;
  const moved = tensors.map((tensor) => {
    const { elements } = tensor;
    if (elements === undefined) return tensor;
    return { ...tensor, elements: { begin: start + elements.begin, end: start + elements.end } };
  });
  return { tensors: moved, problem };
}

/** The digests of tensors in content that is unpacked. */
function digested(source: ByteSource, tensors: readonly LocatedTensor[]): LocatedTensor[] {
  const { digests } = digestRanges(source, tensors.map(({ elements }) => elements));
  return tensors.map((tensor, index) => ({
    ...tensor,
    elements: undefined,
    digest: tensor.digest ?? digests[index] ?? undefined,
  }));
}
