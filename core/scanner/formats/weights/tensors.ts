import { Checklist } from "../../contract/checklist.ts";
import type { Content, ScanContext } from "../../contract/scanner.ts";
import { type ByteSource, sourceSlice } from "../../contract/source.ts";
import { isObject } from "../../../../schemas/json.ts";
import { hasGgufMagic } from "../gguf/detect.ts";
import { GgufMetadata } from "../gguf/metadata.ts";
import { GgufReader, UnreadableError } from "../gguf/reader.ts";
import { GgufTensors } from "../gguf/tensors.ts";
import { countElements, parseDtype } from "../numpy/dtype.ts";
import { hasArrayMagic, readArrayHeader } from "../numpy/header.ts";
import { PickleFile } from "../pickle/pickle_file.ts";
import { readEntry } from "../safetensors/entry.ts";
import { looksLikeSafetensors, readHeader, readHeaderBounds } from "../safetensors/header.ts";
import { readZipStructure, type ZipMember } from "../zip/directory.ts";
import { openZipMember } from "../zip/open_member.ts";
import { isPyTorchZip } from "../zip/pytorch_layout.ts";
import { type TensorData, tensorData } from "./tensor_data.ts";

/** Reads where the tensors of a file are. */
type TensorReader = (
  content: Content,
  context: ScanContext,
) => Generator<TensorData, void, void>;

/** The reader of a file's tensors; undefined if its format has none that are analyzed. */
export function tensorReader(content: Content): TensorReader | undefined {
  const { source, name } = content;
  if (looksLikeSafetensors(source)) return safetensors;
  if (hasGgufMagic(source)) return gguf;
  if (hasArrayMagic(source)) return npy;
  if (/\.npz$/i.test(name)) return npz;
  return isPyTorchZip(content) ? pyTorch : undefined;
}

function* safetensors({ source }: Content): Generator<TensorData, void, void> {
  const bounds = readHeaderBounds(source);
  if ("reason" in bounds) return;
  const header = readHeader(source, bounds);
  if ("reason" in header || !isObject(header.value)) return;
  for (const [name, value] of Object.entries(header.value)) {
    if (name === "__metadata__") continue;
    const entry = readEntry(value);
    if ("problem" in entry || entry.begin > entry.end) continue;
    if (entry.end > BigInt(bounds.dataSize)) continue;
    const begin = bounds.dataStart + Number(entry.begin);
    const data = sourceSlice(source, begin, Number(entry.end - entry.begin));
    yield tensorData(entry.dtype, Number(entry.elements), data);
  }
}

function* gguf({ source }: Content): Generator<TensorData, void, void> {
  try {
    const reader = new GgufReader(source);
    // The scanner of GGUF reports what is wrong.
    const checks = new Checklist();
    const tensorCount = reader.count();
    const metadata = new GgufMetadata(reader, checks);
    metadata.read(reader.count());
    const tensors = new GgufTensors(reader, checks);
    tensors.read(tensorCount);
    const { alignment } = metadata;
    if (alignment === undefined) return;
    const start = Math.ceil(reader.cursor.position / alignment) * alignment;
    const bigEndian = !reader.cursor.littleEndian;
    for (const { type, elements, offset, byteSize } of tensors.infos) {
      if (byteSize === undefined || BigInt(start) + offset + byteSize > BigInt(source.size)) {
        continue;
      }
      const data = sourceSlice(source, start + Number(offset), Number(byteSize));
      yield tensorData(type, Number(elements), data, bigEndian);
    }
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
  }
}

function* npy({ source }: Pick<Content, "source">): Generator<TensorData, void, void> {
  const header = readArrayHeader(source);
  if ("reason" in header) return;
  const { description, dataStart, shape } = header;
  const elements = countElements(shape);
  const { itemSize, hasObject } = parseDtype(description);
  if (elements === undefined || itemSize === undefined || hasObject) return;
  const code = description.kind === "text" ? description.text : "";
  const data = sourceSlice(source, dataStart, Number(elements * itemSize));
  yield tensorData(code.replace(/^[<=|>]/, ""), Number(elements), data, code.startsWith(">"));
}

function* npz({ source }: Content, context: ScanContext): Generator<TensorData, void, void> {
  const { members } = readZipStructure(source, context.limits.maxMembers);
  for (const member of members) {
    const opened = openZipMember(source, member, context).source;
    if (hasArrayMagic(opened)) yield* npy({ source: opened });
  }
}

const MODEL_PICKLE = /^([^/]+)\/data\.pkl$/;

function* pyTorch({ source }: Content, context: ScanContext): Generator<TensorData, void, void> {
  const { members } = readZipStructure(source, context.limits.maxMembers);
  const [pickle, ...others] = members.filter(({ name }) => MODEL_PICKLE.test(name));
  if (pickle === undefined || others.length > 0) return;
  const folder = MODEL_PICKLE.exec(pickle.name)?.[1] ?? "";
  const file = new PickleFile(openZipMember(source, pickle, context).source, context.limits);
  file.walk();
  const byName = new Map<string, ZipMember>(members.map((member) => [member.name, member]));
  for (const { key, type, elements } of file.storages.values()) {
    const member = byName.get(`${folder}/data/${key}`);
    // PyTorch stores them without compression.
    if (member === undefined || member.header.method !== 0) continue;
    const data: ByteSource = sourceSlice(source, member.dataStart, member.dataSize);
    yield tensorData(type.replace(/Storage$/, ""), elements, data);
  }
}
