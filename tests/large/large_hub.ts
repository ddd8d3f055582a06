import { createHash } from "node:crypto";
import { Throttle } from "../../core/throttle.ts";

/** A file of the hub: its beginning, and zeros up to its size. It takes no disk, but where it is copied to. */
interface SparseFile {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

/** The size of a part of a reply. */
const CHUNK_BYTES = 256 * 1024;
const COMMIT = "c".repeat(40);

/** A hub with one model, `org/large`, of large files. */
export class LargeHub implements AsyncDisposable {
  readonly #files = new Map<string, SparseFile>();
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

  /** Adds a file. */
  async add(name: string, beginning: Uint8Array, size: number): Promise<void> {
    const path = `${this.directory}/${name}`;
    await Deno.writeFile(path, beginning);
    await Deno.truncate(path, size);
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
