/** A tensor of a generated file. */
export interface MadeTensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data: Uint8Array;
}

/** A tensor of bytes. */
export function bytesTensor(...data: readonly number[]): MadeTensor {
  return { dtype: "U8", shape: [data.length], data: Uint8Array.from(data) };
}

/** A safetensors file. */
export function safetensorsOf(
  tensors: Readonly<Record<string, MadeTensor>>,
  metadata?: Readonly<Record<string, string>>,
): Uint8Array<ArrayBuffer> {
  let end = 0;
  const entries = Object.entries(tensors).map(([name, { dtype, shape, data }]) => {
    const begin = end;
    end += data.length;
    return [name, { dtype, shape, data_offsets: [begin, end] }] as const;
  });
  const header = new TextEncoder().encode(JSON.stringify(
    Object.fromEntries(metadata === undefined ? entries : [["__metadata__", metadata], ...entries]),
  ));
  const bytes = new Uint8Array(8 + header.length + end);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(header.length), true);
  bytes.set(header, 8);
  let at = 8 + header.length;
  for (const { data } of Object.values(tensors)) {
    bytes.set(data, at);
    at += data.length;
  }
  return bytes;
}
