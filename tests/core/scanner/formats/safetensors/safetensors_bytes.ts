import type { ByteSource } from "../../../../../core/scanner/contract/source.ts";
import { safetensorsScanner } from "../../../../../core/scanner/formats/safetensors/scanner.ts";
import { scan } from "../format_scan.ts";

/** Joined here, so that no file contains a credential itself. */
export const AWS_KEY = "AKIA" + "Q3EGRZ7XKLMNOP2S";

export const scanFile = (content: Uint8Array | ByteSource) =>
  scan(safetensorsScanner, content, { name: "model.safetensors" });

/** A file with zeros as data. `length` overrides the header length. */
export function file(header: string, data = 0, length?: bigint): Uint8Array {
  const json = new TextEncoder().encode(header);
  const bytes = new Uint8Array(8 + json.length + data);
  new DataView(bytes.buffer).setBigUint64(0, length ?? BigInt(json.length), true);
  bytes.set(json, 8);
  return bytes;
}

/** A header entry. */
export function tensor(
  dtype: string,
  shape: readonly unknown[],
  begin: unknown,
  end: unknown,
): string {
  return `{"dtype":"${dtype}","shape":[${shape}],"data_offsets":[${begin},${end}]}`;
}
