/** The most records that a request names, so that its address stays short enough for servers in between. */
const MAX_NAMED = 1000;
/** The most characters of paths that an address has. */
export const MAX_PATH_CHARACTERS = 16_000;

/** Paths in as many parts as it takes for requests that have them in their address. */
export function partsOf(paths: readonly string[]): (readonly string[])[] {
  return requestsFor({ files: [], folders: paths }).map((request) => request["paths[]"]);
}

/** The parameters of a download. */
export type Targets = {
  readonly "ids[]": readonly string[];
  readonly "paths[]": readonly string[];
};

/** Files by their ids, and folders by their paths. */
export interface Cover {
  readonly files: readonly number[];
  readonly folders: readonly string[];
}

/**
 * Names the files that are allowed, and no other, in few words: a folder in which nothing is blocked stands for
 * all of its files.
 *
 * @param roots The files and folders that all of them are in.
 */
export function coverOf(
  roots: readonly string[],
  allowed: readonly { readonly id: number; readonly path: string }[],
  blocked: readonly { readonly path: string }[],
): Cover {
  const mixed = new Set<string>();
  for (const { path } of blocked) {
    for (const folder of foldersOf(path)) mixed.add(folder);
  }
  const outermost = new Set(roots);
  const files: number[] = [];
  const folders = new Set<string>();
  for (const { id, path } of allowed) {
    const above = foldersOf(path);
    const root = above.findIndex((it) => outermost.has(it));
    const folder = root === -1 ? undefined : above.slice(root).find((it) => !mixed.has(it));
    if (folder === undefined) files.push(id);
    else folders.add(folder);
  }
  return { files, folders: [...folders] };
}

/** The folders that a path is in, from the outermost. */
function foldersOf(path: string): string[] {
  const segments = path.split("/");
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join("/"));
}

/** As many requests as it takes to name them. */
export function requestsFor({ files, folders }: Cover): Targets[] {
  const requests: { "ids[]": string[]; "paths[]": string[] }[] = [];
  let [named, characters] = [MAX_NAMED, 0];
  const add = (parameter: keyof Targets, value: string, length: number) => {
    if (named >= MAX_NAMED || characters + length > MAX_PATH_CHARACTERS) {
      requests.push({ "ids[]": [], "paths[]": [] });
      [named, characters] = [0, 0];
    }
    requests.at(-1)?.[parameter].push(value);
    named++;
    characters += length;
  };
  for (const path of folders) add("paths[]", path, encodeURIComponent(path).length);
  for (const id of files) add("ids[]", String(id), 0);
  return requests;
}
