import { createHash } from "node:crypto";
import { Throttle } from "../../core/throttle.ts";
import { safetensors } from "../browser/preview_files.ts";

/** A file of the hub. */
interface HubFile {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

/** The head of a file of weights that has one tensor, and so many bytes in all. */
export function weights(bytes: number): Uint8Array {
  for (let size = bytes;;) {
    const head = safetensors({ w: { dtype: "U8", shape: [size], data_offsets: [0, size] } });
    if (head.length + size === bytes) return head;
    size = bytes - head.length;
  }
}

/** The size of a part of a reply. */
const CHUNK_BYTES = 256 * 1024;
const COMMIT = "c".repeat(40);

/** A hub with one model, `org/large`, of large files. */
export class LargeHub implements AsyncDisposable {
  readonly #files = new Map<string, HubFile>();
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  /** How often content was asked for. */
  fetches = 0;
  /** When the last byte of content was sent, in milliseconds since the Unix epoch. */
  sentAt: number | undefined;

  /** @param maxRate How many bytes it sends within a second, as a network does. @default as many as it can */
  constructor(private readonly directory: string, private readonly maxRate?: number) {
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request) => this.#reply(request),
    );
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** The settings of a server that mirrors it. */
  get env(): Readonly<Record<string, string>> {
    return {
      STRONGROOM_MIRROR_URL: this.url,
      STRONGROOM_GATE: "block",
      // Scans do not wait for the hub and the clients, which have the same processors.
      STRONGROOM_CPU_CAUTION_PCT: "100000",
      STRONGROOM_CPU_CRITICAL_PCT: "100000",
    };
  }

  /**
   * Adds a file.
   *
   * @param rest What comes after the beginning: zeros take no disk, but where they are copied to. Random bytes can be
   *   compressed by nothing.
   */
  async add(
    name: string,
    beginning: Uint8Array,
    { size, rest }: { readonly size: number; readonly rest: "zeros" | "random" },
  ): Promise<void> {
    const path = `${this.directory}/${name}`;
    await Deno.writeFile(path, beginning);
    if (rest === "zeros") await Deno.truncate(path, size);
    else await appendRandom(path, size - beginning.length);
    const hash = createHash("sha256");
    for await (const chunk of await contentOf(path, 0)) hash.update(chunk);
    this.#files.set(name, { path, size, sha256: hash.digest("hex") });
  }

  /** Where a file is. */
  pathOf(name: string): string {
    return `${this.directory}/${name}`;
  }

  /** The address of the content of a file, for clients that need no hub. */
  contentUrl(name: string): string {
    return `${this.url}/content/${name}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }

  async #reply(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname.includes("/revision/")) {
      return Response.json({ id: "org/large", sha: COMMIT, tags: [] });
    }
    if (pathname.includes("/tree/")) {
      return Response.json([...this.#files].map(([path, { size, sha256: oid }]) => ({
        ...{ type: "file", oid: "0".repeat(40), path, size },
        lfs: { oid, size, pointerSize: 130 },
      })));
    }
    const name = pathname.split("/").at(-1) ?? "";
    const file = this.#files.get(name);
    if (file === undefined) return new Response(null, { status: 404 });
    if (!pathname.startsWith("/content/")) return Response.redirect(this.contentUrl(name));
    const [, first] = /^bytes=(\d+)-$/.exec(request.headers.get("Range") ?? "") ?? [];
    const start = Number(first ?? 0);
    const { path, size } = file;
    this.fetches++;
    const throttle = new Throttle(this.maxRate);
    const noteSent = () => {
      this.sentAt = Date.now();
    };
    const sent = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      async transform(chunk, controller) {
        await throttle.take(chunk.length);
        controller.enqueue(chunk);
        noteSent();
      },
    });
    return new Response((await contentOf(path, start)).pipeThrough(sent), {
      status: first === undefined ? 200 : 206,
      headers: {
        "Content-Length": String(size - start),
        ...(first !== undefined && { "Content-Range": `bytes ${start}-${size - 1}/${size}` }),
      },
    });
  }
}

async function appendRandom(path: string, bytes: number): Promise<void> {
  using file = await Deno.open(path, { append: true });
  const chunk = new Uint8Array(65536);
  for (let left = bytes; left > 0;) {
    left -= await file.write(crypto.getRandomValues(chunk).subarray(0, left));
  }
}

async function contentOf(
  path: string,
  start: number,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const file = await Deno.open(path);
  await file.seek(start, Deno.SeekMode.Start);
  return new ReadableStream({
    async pull(controller) {
      const chunk = new Uint8Array(CHUNK_BYTES);
      const count = await file.read(chunk);
      if (count !== null) return controller.enqueue(chunk.subarray(0, count));
      file.close();
      controller.close();
    },
    cancel: () => file.close(),
  });
}
