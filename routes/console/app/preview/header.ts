/** What the header of a model file says. All of it is the file's own claim, and may be hostile. */
export interface ModelHeader {
  readonly tensors: readonly TensorRow[];
  /** The pairs of the metadata, values shortened. */
  readonly metadata: readonly Pair[];
  /** Why something is left out, in a sentence. */
  readonly remark?: string | undefined;
}

export interface TensorRow {
  readonly name: string;
  readonly type: string;
  readonly shape: readonly bigint[];
  /** The product of the shape. */
  readonly parameters: bigint;
  /** Of its values in the file, if the header says so. */
  readonly bytes?: number | undefined;
}

export interface Pair {
  readonly key: string;
  readonly value: string;
}

/** A header that cannot be read, with the reason as a sentence. */
export class HeaderError extends Error {}

/** Tensors, and pairs of metadata, that are read. Published models have less than a tenth. */
export const MAX_ROWS = 100_000;
/** Dimensions of a tensor. */
const MAX_DIMENSIONS = 64;
/** Characters of names and values that are shown. */
const MAX_SHOWN = 300;

/** A row of the table of tensors. @throws {HeaderError} when it has too many dimensions. */
export function tensorRow(
  { name, type, shape, bytes }: Omit<TensorRow, "parameters">,
): TensorRow {
  if (shape.length > MAX_DIMENSIONS) {
    throw new HeaderError(`A tensor has ${shape.length} dimensions`);
  }
  const parameters = shape.reduce((product, length) => product * length, 1n);
  return { name: shortened(name), type: shortened(type), shape, parameters, bytes };
}

/** The beginning of a text. */
export function shortened(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}

/** How many parameters all tensors have, and how many tensors each type has, the most frequent first. */
export function totals(tensors: readonly TensorRow[]): {
  readonly parameters: bigint;
  readonly types: readonly (readonly [type: string, tensors: number])[];
} {
  let parameters = 0n;
  const types = new Map<string, number>();
  for (const tensor of tensors) {
    parameters += tensor.parameters;
    types.set(tensor.type, (types.get(tensor.type) ?? 0) + 1);
  }
  return { parameters, types: [...types].sort(([, a], [, b]) => b - a) };
}
