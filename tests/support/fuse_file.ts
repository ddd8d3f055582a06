/** A file whose reads, writes and syncs this process serves, by the FUSE protocol of Linux. */

import { unmount } from "./small_disk.ts";

/** What serves the file. Its methods are called one at a time. */
export interface ServedFile {
  readonly size: number;
  read(offset: number, length: number): Uint8Array;
  /** The bytes are valid during the call only. */
  write(offset: number, bytes: Uint8Array): void;
  sync(): void;
}

const MAX_WRITE = 2 ** 20;
const PAGE = 4096;
const IN_HEADER = 40;
const OUT_HEADER = 16;
const WRITE_HEADER = 40;
const ATTRIBUTES = 88;
const REGULAR_FILE = 0o100600;
/** Attributes stay valid for so many seconds. */
const VALID_SECONDS = 3600n;
const ENOSYS = 38;
const O_RDWR = 2;
/** Children must not keep the device open. */
const O_CLOEXEC = 0o2000000;

/** Requests of the kernel that are served; the others get ENOSYS. */
const OPCODE = {
  forget: 2,
  getAttributes: 3,
  setAttributes: 4,
  open: 14,
  read: 15,
  write: 16,
  statfs: 17,
  release: 18,
  sync: 20,
  flush: 25,
  init: 26,
  interrupt: 36,
  batchForget: 42,
} as const;
const FLAG_BIG_WRITES = 1 << 5;
const FLAG_MAX_PAGES = 1 << 22;

const SYMBOLS = {
  open: { parameters: ["buffer", "i32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  mount: { parameters: ["buffer", "buffer", "buffer", "u64", "buffer"], result: "i32" },
  read: { parameters: ["i32", "buffer", "usize"], result: "isize", nonblocking: true },
  write: { parameters: ["i32", "buffer", "usize"], result: "isize" },
} as const;

type Libc = Deno.DynamicLibrary<typeof SYMBOLS>;

function openLibc(): Libc | undefined {
  try {
    return Deno.dlopen("libc.so.6", SYMBOLS);
  } catch {
    return undefined;
  }
}

/**
 * Mounts the file over an existing one, until it is disposed of. Returns undefined if this process may
 * not. Its thread must not use the file by blocking calls, as it would wait for itself.
 */
export function serveFile(path: string, served: ServedFile): AsyncDisposable | undefined {
  using parts = new DisposableStack();
  const libc = openLibc();
  if (libc === undefined) return undefined;
  parts.defer(() => libc.close());
  const device = libc.symbols.open(text("/dev/fuse"), O_RDWR | O_CLOEXEC);
  if (device < 0) return undefined;
  parts.defer(() => libc.symbols.close(device));
  const options = `fd=${device},rootmode=${REGULAR_FILE.toString(8)},user_id=0,group_id=0`;
  const { mount } = libc.symbols;
  if (mount(text("strongroom-test"), text(path), text("fuse"), 0n, text(options)) !== 0) {
    return undefined;
  }
  const serving = serve(libc, device, served);
  const owned = parts.move();
  return {
    async [Symbol.asyncDispose]() {
      using _owned = owned;
      await unmount(path);
      await serving;
    },
  };
}

/** Answers requests until the file is unmounted. */
async function serve(libc: Libc, device: number, served: ServedFile): Promise<void> {
  const buffer = new Uint8Array(MAX_WRITE + PAGE);
  for (;;) {
    const length = Number(await libc.symbols.read(device, buffer, BigInt(buffer.length)));
    if (length < IN_HEADER) return;
    const request = buffer.subarray(0, length);
    const answer = answerTo(request, served);
    if (answer !== undefined) libc.symbols.write(device, answer, BigInt(answer.length));
  }
}

/** The answer to a request; undefined if it expects none. */
function answerTo(request: Uint8Array, served: ServedFile): Uint8Array<ArrayBuffer> | undefined {
  const view = new DataView(request.buffer, request.byteOffset, request.length);
  const answer = (body: Uint8Array = new Uint8Array()) => withHeader(view, 0, body);
  const offset = () => Number(view.getBigUint64(IN_HEADER + 8, true));
  switch (view.getUint32(4, true)) {
    case OPCODE.init:
      return answer(initialized());
    case OPCODE.getAttributes:
    case OPCODE.setAttributes:
      return answer(attributes(served.size));
    case OPCODE.read: {
      const length = Math.min(view.getUint32(IN_HEADER + 16, true), served.size - offset());
      return answer(served.read(offset(), Math.max(0, length)));
    }
    case OPCODE.write: {
      const bytes = request.subarray(IN_HEADER + WRITE_HEADER);
      served.write(offset(), bytes);
      return answer(fields(8, (written) => written.setUint32(0, bytes.length, true)));
    }
    case OPCODE.sync:
      served.sync();
      return answer();
    case OPCODE.open:
      return answer(new Uint8Array(16));
    case OPCODE.statfs:
      return answer(new Uint8Array(80));
    case OPCODE.flush:
    case OPCODE.release:
      return answer();
    case OPCODE.forget:
    case OPCODE.batchForget:
    case OPCODE.interrupt:
      return undefined;
    default:
      return withHeader(view, -ENOSYS, new Uint8Array());
  }
}

function withHeader(
  request: DataView,
  error: number,
  body: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const answer = fields(OUT_HEADER + body.length, (view) => {
    view.setUint32(0, OUT_HEADER + body.length, true);
    view.setInt32(4, error, true);
    view.setBigUint64(8, request.getBigUint64(8, true), true);
  });
  answer.set(body, OUT_HEADER);
  return answer;
}

/** `struct fuse_init_out`. */
function initialized(): Uint8Array<ArrayBuffer> {
  return fields(64, (view) => {
    view.setUint32(0, 7, true);
    view.setUint32(4, 31, true);
    view.setUint32(8, MAX_WRITE, true);
    view.setUint32(12, FLAG_BIG_WRITES | FLAG_MAX_PAGES, true);
    view.setUint16(16, 16, true);
    view.setUint16(18, 12, true);
    view.setUint32(20, MAX_WRITE, true);
    view.setUint32(24, 1, true);
    view.setUint16(28, MAX_WRITE / PAGE, true);
  });
}

/** `struct fuse_attr_out`. */
function attributes(size: number): Uint8Array<ArrayBuffer> {
  return fields(16 + ATTRIBUTES, (view) => {
    view.setBigUint64(0, VALID_SECONDS, true);
    view.setBigUint64(16, 1n, true);
    view.setBigUint64(24, BigInt(size), true);
    view.setBigUint64(32, BigInt(size / 512), true);
    view.setUint32(76, REGULAR_FILE, true);
    view.setUint32(80, 1, true);
    view.setUint32(96, PAGE, true);
  });
}

function fields(length: number, fill: (view: DataView) => void): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  fill(new DataView(bytes.buffer));
  return bytes;
}

function text(value: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${value}\0`);
}
