import { createHash } from "node:crypto";

/** A file of a repository of the double. */
export interface DoubleFile {
  readonly content: Uint8Array<ArrayBuffer>;
  /** Whether Git LFS keeps it. @default true for more than 1000 bytes */
  readonly lfs?: boolean;
}

/** What goes wrong with a reply. */
export interface Fault {
  /** The status in place of the reply. */
  readonly status?: number;
  /** Whether there is no reply before {@link HubDouble.resume}. */
  readonly isSilent?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** Where it redirects to, in place of its reply. */
  readonly location?: string;
  /** After how many bytes of the body the connection is cut. */
  readonly cutAt?: number;
  /** After how many bytes nothing more comes. */
  readonly stallAt?: number;
  /** Which byte is another one. */
  readonly wrongAt?: number;
  /** The size of the body that is sent, in place of its own. */
  readonly size?: number;
}

/** A request that the double has received. */
export interface DoubleRequest {
  readonly host: "hub" | "content";
  readonly method: string;
  readonly path: string;
  readonly range: string | null;
  readonly authorization: string | null;
}

interface Revision {
  readonly files: ReadonlyMap<string, DoubleFile>;
  /** 0 if no time is stated. */
  readonly modifiedAt: number;
}

interface Repository {
  readonly revisions: Map<string, Revision>;
  readonly names: Map<string, string>;
  tags: readonly string[];
  isGated: boolean;
  renamedTo: string | undefined;
}

/** A part of a body, as chunks of a network are. */
const CHUNK_BYTES = 64 * 1024;

/**
 * A double of the public hub, made from recorded facts (docs/design/mirror.md): content of Git LFS is at another host
 * with signed addresses, that of Git at a relative address; trees come in pages; there are headers of xet. It counts its
 * requests, and can go wrong.
 */
export class HubDouble implements AsyncDisposable {
  readonly requests: DoubleRequest[] = [];
  /** What goes wrong with a request. */
  fault: (request: DoubleRequest) => Fault | undefined = () => undefined;
  /** How many entries a page of a tree has. */
  pageEntries = 2;
  /** How it refers to the address of the next page. */
  referTo: (address: string) => string = (address) => address;
  readonly #repositories = new Map<string, Repository>();
  readonly #hub: Deno.HttpServer<Deno.NetAddr>;
  readonly #content: Deno.HttpServer<Deno.NetAddr>;
  #stalled = new AbortController();

  private constructor() {
    const serve = (host: DoubleRequest["host"]) =>
      Deno.serve(
        {
          hostname: "127.0.0.1",
          port: 0,
          onListen: () => {},
          onError: () => new Response(null, { status: 500 }),
        },
        (request) => this.#reply(host, request),
      );
    this.#hub = serve("hub");
    this.#content = serve("content");
  }

  static start(): HubDouble {
    return new HubDouble();
  }

  get url(): string {
    return `http://127.0.0.1:${this.#hub.addr.port}`;
  }

  /** The host that has the content of Git LFS. */
  get contentHost(): string {
    return `127.0.0.1:${this.#content.addr.port}`;
  }

  /** Adds a revision, which its branch names from now on. Returns its commit id. */
  add(
    id: string,
    files: Readonly<Record<string, DoubleFile | string>>,
    { kind = "models", branch = "main", modifiedAt = Date.UTC(2025, 0, 1) } = {},
  ): string {
    const repository = this.repository(id, kind);
    const all = new Map(
      Object.entries(files).map(([path, file]) => [
        path,
        typeof file === "string" ? { content: new TextEncoder().encode(file), lfs: false } : file,
      ]),
    );
    const hash = createHash("sha1").update(`${id} ${repository.revisions.size}`);
    for (const [path, { content }] of all) hash.update(path).update(content);
    const commit = hash.digest("hex");
    repository.revisions.set(commit, { files: all, modifiedAt });
    repository.names.set(branch, commit);
    return commit;
  }

  repository(id: string, kind = "models"): Repository {
    const key = `${kind}/${id}`;
    const found = this.#repositories.get(key) ??
      {
        revisions: new Map(),
        names: new Map(),
        tags: ["license:mit"],
        isGated: false,
        renamedTo: undefined,
      };
    this.#repositories.set(key, found);
    return found;
  }

  remove(id: string, kind = "models"): void {
    this.#repositories.delete(`${kind}/${id}`);
  }

  /** Breaks off what has stalled, and what is yet to stall of the requests that it has received. */
  resume(): void {
    this.#stalled.abort();
    this.#stalled = new AbortController();
  }

  /** The requests since the last call. */
  taken(): DoubleRequest[] {
    return this.requests.splice(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stalled.abort();
    await Promise.all([this.#hub.shutdown(), this.#content.shutdown()]);
  }

  async #reply(host: DoubleRequest["host"], request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const path = decodeURIComponent(pathname);
    const received = {
      ...{ host, method: request.method, path },
      range: request.headers.get("Range"),
      authorization: request.headers.get("Authorization"),
    };
    this.requests.push(received);
    const fault = this.fault(received) ?? {};
    const { signal } = this.#stalled;
    if (fault.isSilent) await aborted(signal);
    if (fault.location !== undefined) {
      return new Response(null, { status: 302, headers: { Location: fault.location } });
    }
    if (fault.status !== undefined) {
      return new Response("fault", { status: fault.status, headers: fault.headers });
    }
    const isApi = path.startsWith("/api/");
    const plain = path.replace(/^\/api\/resolve-cache\/(.*?\/.*?\/.*?)\//, "/$1/resolve/")
      .replace(/^\/(?:api\/)?/, "");
    const [, kind = "models", id = "", verb = "", revision = "", file = ""] =
      /^(?:(models|datasets)\/)?(.*?)(?:\/(revision|tree|resolve|commits|refs)(?:\/([^/]+)(?:\/(.*))?)?)?$/
        .exec(
          plain,
        ) ?? [];
    const repository = this.#repositories.get(`${kind}/${id}`);
    if (repository === undefined) {
      return refusal(401, "RepoNotFound", "Invalid username or password.");
    }
    if (repository.renamedTo !== undefined) {
      const target = pathname.replace(`/${id}`, `/${repository.renamedTo}`);
      return new Response(null, { status: 307, headers: { Location: target } });
    }
    if (repository.isGated) return refusal(403, "GatedRepo", `Access to ${id} is restricted`);
    if (isApi && verb === "refs") {
      const branches = [...repository.names].map(([name, targetCommit]) => ({
        ...{ name, ref: `refs/heads/${name}`, targetCommit },
      }));
      return Response.json({ branches, converts: [], tags: [], pullRequests: [] });
    }
    const commit = repository.names.get(revision) ?? revision;
    const state = repository.revisions.get(commit);
    if (state === undefined) return refusal(404, "RevisionNotFound", `Invalid rev id: ${revision}`);
    if (isApi && verb === "revision") {
      return Response.json({
        ...{ id, sha: commit, private: false, gated: false, tags: repository.tags },
        ...(state.modifiedAt > 0 && {
          createdAt: "2024-01-01T00:00:00.000Z",
          lastModified: new Date(state.modifiedAt).toISOString(),
        }),
        ...(kind === "models" && { pipeline_tag: "text-generation", library_name: "transformers" }),
      });
    }
    if (isApi && verb === "commits") return this.#commits(repository, pathname, searchParams);
    if (isApi && verb === "tree") return this.#tree(state, pathname, searchParams);
    const found = state.files.get(file);
    if (found === undefined) return refusal(404, "EntryNotFound", "Entry not found");
    return this.#file(request, { received, fault, signal, kind, id, commit, file, found });
  }

  #tree(state: Revision, pathname: string, query: URLSearchParams): Response {
    const folders = new Set(
      [...state.files.keys()].flatMap((path) =>
        path.split("/").slice(0, -1).map((_, index, all) => all.slice(0, index + 1).join("/"))
      ),
    );
    const entries = [
      ...[...folders].map((path) => ({
        type: "directory",
        oid: digest("sha1", path),
        size: 0,
        path,
      })),
      ...[...state.files].map(([path, file]) => entryOf(path, file)),
    ];
    const from = Number(query.get("cursor") ?? 0);
    const next = from + this.pageEntries;
    const address = `${this.url}${pathname}?recursive=true&expand=false&cursor=${next}`;
    return Response.json(entries.slice(from, next), {
      headers: next < entries.length ? { Link: `<${this.referTo(address)}>; rel="next"` } : {},
    });
  }

  #commits({ revisions }: Repository, pathname: string, query: URLSearchParams): Response {
    const commits = [...revisions].toReversed().map(([id, { modifiedAt }]) => ({
      ...{ id, title: `Commit ${id.slice(0, 7)}`, message: "", authors: [{ user: "somebody" }] },
      date: new Date(modifiedAt).toISOString(),
    }));
    const page = Number(query.get("p") ?? 0);
    const [from, next] = [page * this.pageEntries, (page + 1) * this.pageEntries];
    const address = `${this.url}${pathname}?p=${page + 1}&limit=${this.pageEntries}`;
    return Response.json(commits.slice(from, next), {
      headers: next < commits.length ? { Link: `<${address}>; rel="next"` } : {},
    });
  }

  #file(
    request: Request,
    { received, fault, signal, kind, id, commit, file, found }: {
      received: DoubleRequest;
      fault: Fault;
      signal: AbortSignal;
      kind: string;
      id: string;
      commit: string;
      file: string;
      found: DoubleFile;
    },
  ): Response {
    const { content } = found;
    const etag = isLfs(found) ? sha256Of(content) : blobIdOf(content);
    const isContent = received.host === "content" ||
      received.path.startsWith("/api/resolve-cache/");
    if (!isContent) {
      const place = `${kind}/${id}/resolve/${commit}/${file}`;
      const Location = isLfs(found)
        ? `http://${this.contentHost}/${place}?X-Signature=${crypto.randomUUID()}`
        : `/api/resolve-cache/${kind}/${id}/${commit}/${file}?etag=%22${etag}%22`;
      return new Response(null, {
        status: isLfs(found) ? 302 : 307,
        headers: {
          Location,
          "X-Repo-Commit": commit,
          "X-Linked-Size": String(content.length),
          "X-Linked-ETag": `"${etag}"`,
          ...(isLfs(found) && {
            "X-Xet-Hash": "f".repeat(64),
            Link: `<${this.url}/api/xet>; rel="xet-auth"`,
          }),
        },
      });
    }
    const [, first] = /^bytes=(\d+)-$/.exec(request.headers.get("Range") ?? "") ?? [];
    const start = Number(first ?? 0);
    // A fault changes a copy.
    const sent = fault.wrongAt === undefined ? content.subarray(start) : content.slice(start);
    const { wrongAt } = fault;
    if (wrongAt !== undefined && wrongAt >= start && wrongAt < content.length) {
      sent[wrongAt - start] = (sent[wrongAt - start] ?? 0) ^ 1;
    }
    const body = fault.size === undefined ? sent : sized(sent, fault.size);
    return new Response(bodyOf(body, { ...fault, start, signal }), {
      status: first === undefined ? 200 : 206,
      headers: {
        ETag: `"${etag}"`,
        "Content-Length": String(body.length),
        ...(first !== undefined && {
          "Content-Range": `bytes ${start}-${start + body.length - 1}/${start + body.length}`,
        }),
      },
    });
  }
}

/** What of a body is sent, from the byte `start` of the content on. It may stall until a signal aborts. */
function bodyOf(
  content: Uint8Array<ArrayBuffer>,
  { cutAt, stallAt, start, signal }: Fault & {
    readonly start: number;
    readonly signal: AbortSignal;
  },
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  const end = Math.min(
    content.length,
    ...[cutAt, stallAt].filter((it) => it !== undefined).map((it) => Math.max(0, it - start)),
  );
  return new ReadableStream({
    async pull(controller) {
      if (at < end) {
        const chunk = content.slice(at, Math.min(end, at + CHUNK_BYTES));
        at += chunk.length;
        return controller.enqueue(chunk);
      }
      if (at === content.length) return controller.close();
      if (cutAt !== undefined && start + at >= cutAt) return controller.error(new Error("cut"));
      await aborted(signal);
      controller.error(new Error("stalled"));
    },
  });
}

/** Resolves when a signal aborts, or has. */
async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
}

function entryOf(path: string, file: DoubleFile) {
  const size = file.content.length;
  if (!isLfs(file)) return { type: "file", oid: blobIdOf(file.content), size, path };
  const oid = sha256Of(file.content);
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`;
  return {
    ...{ type: "file", oid: blobIdOf(new TextEncoder().encode(pointer)), size, path },
    lfs: { oid, size, pointerSize: pointer.length },
    xetHash: "f".repeat(64),
  };
}

function isLfs({ content, lfs = content.length > 1000 }: DoubleFile): boolean {
  return lfs;
}

function blobIdOf(content: Uint8Array): string {
  return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
}

function digest(algorithm: "sha1" | "sha256", content: string | Uint8Array): string {
  return createHash(algorithm).update(content).digest("hex");
}

/** Each content is hashed once, as it may be large. */
const digests = new WeakMap<Uint8Array, string>();

function sha256Of(content: Uint8Array): string {
  const sha256 = digests.get(content) ?? digest("sha256", content);
  digests.set(content, sha256);
  return sha256;
}

/** The content, cut or with zeros at its end. */
function sized(content: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer> {
  const body = new Uint8Array(size);
  body.set(content.subarray(0, size));
  return body;
}

function refusal(status: number, code: string, message: string): Response {
  return Response.json({ error: message }, {
    status,
    headers: { "X-Error-Code": code, "X-Error-Message": message },
  });
}
