import type { ByteSource } from "../../../../../core/scanner/contract/source.ts";
import { numpyScanner } from "../../../../../core/scanner/formats/numpy/scanner.ts";
import { scan } from "../format_scan.ts";

export const scanFile = (content: Uint8Array | ByteSource) =>
  scan(numpyScanner, content, { name: "a.npy" });

/** An array file. A number as `data` is a count of zeros. */
export function file(header: string, data: number | Uint8Array = 0, version = 1): Uint8Array {
  const text = new TextEncoder().encode(`${header}\n`);
  const content = typeof data === "number" ? new Uint8Array(data) : data;
  const start = version === 1 ? 10 : 12;
  const bytes = new Uint8Array(start + text.length + content.length);
  bytes.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, version, 0]);
  const view = new DataView(bytes.buffer);
  if (version === 1) view.setUint16(8, text.length, true);
  else view.setUint32(8, text.length, true);
  bytes.set(text, start);
  bytes.set(content, start + text.length);
  return bytes;
}

export function header(descr: string, shape: string): string {
  return `{'descr': ${descr}, 'fortran_order': False, 'shape': ${shape}, }   `;
}
