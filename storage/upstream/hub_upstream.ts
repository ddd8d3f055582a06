import type { Chunk } from "../../core/content.ts";
import {
  type Upstream,
  UpstreamAway,
  type UpstreamCommits,
  type UpstreamFile,
  type UpstreamReferences,
  type UpstreamRevision,
} from "../../core/mirror/ports.ts";
import type { ListedEntry, MirroredKind, MirroredName } from "../../core/mirror/store.ts";
import {
  UpstreamCommitList,
  UpstreamInfo,
  UpstreamRefs,
  UpstreamTree,
} from "../../schemas/upstream.ts";
import { bodyOf, jsonOf } from "./replies.ts";
import type { UpstreamRequests } from "./requests.ts";

/** What is asked for of a revision: its files come with the tree. Hubs refuse what they do not know. */
const EXPANDED = {
  models: ["sha", "createdAt", "lastModified", "tags", "pipeline_tag", "library_name"],
  datasets: ["sha", "createdAt", "lastModified", "tags"],
} as const satisfies Readonly<Record<MirroredKind, readonly string[]>>;

const PAGE_ENTRIES = 1000;
/** No repository has more pages of entries: a million of them. */
const MAX_PAGES = 1000;
/** How long metadata may take, in milliseconds. */
const MAX_METADATA_MS = 60_000;

export interface HubUpstreamOptions {
  /** How long nothing may come of a file, in milliseconds. @default 30 s */
  readonly stallMs?: number | undefined;
}

/** A hub whose repositories are mirrored: the public one, or another strongroom (C 28). */
export class HubUpstream implements Upstream {
  constructor(
    private readonly requests: UpstreamRequests,
    private readonly options: HubUpstreamOptions = {},
  ) {}

  get restsUntil(): number | undefined {
    return this.requests.restsUntil;
  }

  async revision({ kind, id }: MirroredName, name: string): Promise<UpstreamRevision> {
    const query = new URLSearchParams(EXPANDED[kind].map((it) => ["expand", it]));
    const response = await this.requests.get(
      `/api/${kind}/${id}/revision/${encodeURIComponent(name)}?${query}`,
      { signal: AbortSignal.timeout(MAX_METADATA_MS) },
    );
    const info = await jsonOf(response, UpstreamInfo);
    const modifiedAt = info.lastModified ?? info.createdAt ?? 0;
    return {
      commitId: info.sha,
      about: {
        createdAt: info.createdAt ?? modifiedAt,
        modifiedAt,
        tags: info.tags,
        ...(info.pipeline_tag != null && { pipelineTag: info.pipeline_tag }),
        ...(info.library_name != null && { libraryName: info.library_name }),
        ...(info.id !== undefined && info.id !== id && { realId: info.id }),
      },
    };
  }

  async *entries(
    { kind, id }: MirroredName,
    commitId: string,
  ): AsyncGenerator<readonly ListedEntry[], void> {
    let address: string | undefined =
      `/api/${kind}/${id}/tree/${commitId}?recursive=true&expand=false&limit=${PAGE_ENTRIES}`;
    for (let page = 0; address !== undefined; page++) {
      if (page === MAX_PAGES) throw new UpstreamAway(`${id} has too many files`);
      const signal = AbortSignal.timeout(MAX_METADATA_MS);
      const response = await this.requests.get(address, { signal });
      const entries = await jsonOf(response, UpstreamTree);
      address = nextOf(response);
      yield entries.filter(({ type }) => type === "file" || type === "directory").map((entry) => ({
        path: entry.path,
        isDir: entry.type === "directory",
        size: entry.type === "directory" ? 0 : entry.lfs?.size ?? entry.size,
        blobId: entry.oid,
        sha256: entry.lfs?.oid,
      }));
    }
  }

  async references({ kind, id }: MirroredName): Promise<UpstreamReferences> {
    const signal = AbortSignal.timeout(MAX_METADATA_MS);
    const response = await this.requests.get(`/api/${kind}/${id}/refs`, { signal });
    const { branches, tags } = await jsonOf(response, UpstreamRefs);
    const named = ({ name, targetCommit }: typeof branches[number]) => ({
      name,
      commitId: targetCommit,
    });
    return { branches: branches.map(named), tags: tags.map(named) };
  }

  async commits(
    { kind, id }: MirroredName,
    commitId: string,
    cursor: string | undefined,
  ): Promise<UpstreamCommits> {
    // Hubs count pages or have cursors: it is the query of the address of the part.
    const query = cursor === undefined ? "" : `?${new URLSearchParams(cursor)}`;
    const signal = AbortSignal.timeout(MAX_METADATA_MS);
    const response = await this.requests.get(`/api/${kind}/${id}/commits/${commitId}${query}`, {
      signal,
    });
    const items = await jsonOf(response, UpstreamCommitList);
    const next = nextOf(response);
    return {
      items: items.map(({ date, authors, ...commit }) => ({
        ...commit,
        time: date,
        authors: authors.map(({ user }) => user),
      })),
      next: next && new URL(next).search.slice(1),
    };
  }

  async open(
    { kind, id, commitId, path, size }: UpstreamFile,
    start: number,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Chunk>> {
    const file = path.split("/").map(encodeURIComponent).join("/");
    const response = await this.requests.get(
      `${kind === "models" ? "" : `/${kind}`}/${id}/resolve/${commitId}/${file}`,
      { signal, range: start > 0 ? `bytes=${start}-` : undefined },
    );
    const isPart = response.status === 206;
    const expected = isPart ? `bytes ${start}-${size - 1}/${size}` : String(size);
    const stated = response.headers.get(isPart ? "Content-Range" : "Content-Length");
    if (isPart ? stated !== expected : (stated ?? expected) !== expected) {
      await response.body?.cancel();
      throw new UpstreamAway(`The other hub has a file of another size: ${stated} for ${expected}`);
    }
    return skipping(bodyOf(response, this.options.stallMs), isPart ? 0 : start);
  }
}

/** What follows the first bytes. */
async function* skipping(
  content: AsyncIterable<Chunk>,
  bytes: number,
): AsyncGenerator<Chunk, void> {
  let left = bytes;
  for await (const chunk of content) {
    if (chunk.length > left) yield chunk.subarray(left);
    left = Math.max(0, left - chunk.length);
  }
}

/** The address of the next page (RFC 8288), which may be relative to that of this one. */
function nextOf({ headers, url }: Response): string | undefined {
  const [, next] = /<([^<>]*)>\s*;\s*rel="?next"?/.exec(headers.get("Link") ?? "") ?? [];
  if (next === undefined) return undefined;
  const address = URL.parse(next, url)?.href;
  if (address === undefined) throw new UpstreamAway("The other hub names no address as the next");
  return address;
}
