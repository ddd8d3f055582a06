/**
 * A simple in-memory model of RS, compared with the real service. It is written from the specification
 * alone and imports nothing from the service, so that the two do not share code with a mistake.
 */

/** A file or directory. A record keeps the same object for its whole life. */
export interface Node {
  readonly isDir: boolean;
  /** Empty for a directory. */
  readonly content: string;
  /** Id and time in the service, filled in once they are known. */
  id: number | undefined;
  updatedAt: number;
}

/** A node with its owner and path at one point in time. */
export interface ModelRecord {
  readonly user: number;
  readonly path: string;
  readonly node: Node;
}

/** The expected reply and events of a request. */
export interface ExpectedOutcome {
  /** The records in the reply, in order. */
  readonly items: readonly ModelRecord[];
  /** In order of publication. The kind is `added`, `updated` or `deleted`. */
  readonly events: readonly (ModelRecord & { readonly kind: string })[];
}

/** Thrown when a request must be refused. */
export class ExpectedRefusal extends Error {
  constructor(readonly status: number, readonly code: string) {
    super(code);
  }
}

/** A user of the model. */
export interface ModelUser {
  readonly user: number;
  readonly admin: boolean;
}

/** The body of a move or copy. */
export interface TransferRequest {
  readonly source?: string | null;
  readonly sources?: readonly string[];
  readonly destination?: string | null;
  readonly force?: boolean;
}

/** The body of a request to restore, and what the tree was then, as far as that is kept (C 26). */
export interface RestoreStep {
  readonly body: {
    readonly path: string;
    /** A version. */
    readonly at: number;
    readonly destination?: string;
    readonly force?: boolean;
  };
  readonly then: ModelTree | undefined;
}

/** What an upload does about files that are there (C 17). */
export type OnConflict = "error" | "skip" | "replace";

const invalid = () => new ExpectedRefusal(400, "ErrResourcesInvalidRequest");
const missing = () => new ExpectedRefusal(404, "ErrResourcesNotFound");
const givenUp = () => new ExpectedRefusal(404, "ErrVersionsNotFound");
const conflict = () => new ExpectedRefusal(409, "ErrResourcesConflict");
const taken = () => new ExpectedRefusal(409, "ErrResourcesAlreadyExists");

const encoder = new TextEncoder();

/** C 4: compares UTF-8 bytes. */
function compareBytes(a: string, b: string): number {
  const [left, right] = [encoder.encode(a), encoder.encode(b)];
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** C 4, as far as the paths in the tests need it. */
function clean(text: string): string {
  const path = text.trim().replaceAll("\\", "/");
  const segments = path.split("/");
  if (path === "" || path.startsWith("/") || segments.includes("..")) throw invalid();
  const kept = segments.filter((segment) => segment !== "" && segment !== ".");
  if (kept.length === 0) throw invalid();
  return kept.join("/");
}

const cleanDirectory = (text: string) => text.trim() === "" ? "" : clean(text);
const cleanAll = (texts: readonly string[]) => [
  ...new Set(texts.filter((text) => text.trim() !== "").map(clean)),
];
const nameOf = (path: string) => path.split("/").at(-1) ?? "";
const parentOf = (path: string) => path.split("/").slice(0, -1).join("/");
const join = (directory: string, name: string) => directory === "" ? name : `${directory}/${name}`;
const below = (path: string, directory: string) => path.startsWith(`${directory}/`);

/** A directory and its ancestors, outermost first. */
function ancestry(path: string): string[] {
  return path === "" ? [] : [...ancestry(parentOf(path)), path];
}

const newNode = (content: string | undefined): Node => ({
  isDir: content === undefined,
  content: content ?? "",
  id: undefined,
  updatedAt: 0,
});

/** The records of one user, by path. */
type Tree = Map<string, Node>;
/** A tree that is not changed any more. */
export type ModelTree = ReadonlyMap<string, Node>;

export class Model {
  #trees = new Map<number, Tree>();

  /** A model in the same state. Changes of either do not affect the other. */
  fork(): Model {
    const forked = new Model();
    forked.#trees = this.#trees;
    return forked;
  }

  /** Every record, by user and path. */
  records(): ModelRecord[] {
    return [...this.#trees].flatMap(([user, tree]) =>
      [...tree].map(([path, node]) => ({ user, path, node }))
    );
  }

  /** The present tree of a user. Later changes do not affect it. */
  treeOf(user: number): ModelTree {
    return this.#tree(user);
  }

  /** RS 4.1 with explicit paths, for a caller without admin rights. */
  list(caller: ModelUser, paths: readonly string[], recursive: boolean): ExpectedOutcome {
    const tree = this.#tree(caller.user);
    const shown = new Set<string>();
    for (const path of cleanAll(paths)) {
      for (const above of ancestry(path)) if (tree.get(above)?.isDir) shown.add(above);
      for (const [other] of tree) {
        if (recursive ? other === path || below(other, path) : parentOf(other) === path) {
          shown.add(other);
        }
      }
    }
    const items = this.#at(caller.user, [...shown].sort(compareBytes));
    return { items, events: [] };
  }

  /** RS 4.2, C 17. */
  upload(
    caller: ModelUser,
    dir: string,
    files: readonly (readonly [string, string])[],
    onConflict: OnConflict = "error",
  ): ExpectedOutcome {
    return this.#change((draft) => {
      const directory = cleanDirectory(dir);
      const paths = files.map(([name]) => join(directory, name));
      if (new Set(paths).size < paths.length) throw taken();
      const tree = draft.tree(caller.user);
      const added: string[] = [];
      const replaced: string[] = [];
      const contents = files.map(([, content], at) => [paths[at] ?? "", content] as const);
      for (const [path, content] of contents) {
        const there = tree.get(path);
        if (there === undefined) added.push(path);
        else if (there.isDir || onConflict === "error") throw taken();
        else if (onConflict === "replace") replaced.push(path);
        else if (there.content !== content) throw taken();
      }
      const made = draft.createDirectories(caller.user, directory, taken);
      for (const [path, content] of contents) {
        if (added.includes(path)) tree.set(path, newNode(content));
        const there = tree.get(path);
        // C 17: the record stays.
        if (replaced.includes(path) && there) tree.set(path, { ...there, content });
      }
      const at = (some: readonly string[]) => draft.at(caller.user, some);
      return {
        items: at(paths),
        events: events(["added", [...made, ...at(added)]], ["updated", at(replaced)]),
      };
    });
  }

  /** RS 4.3. */
  mkdir(caller: ModelUser, path: string): ExpectedOutcome {
    return this.#change((draft) => {
      const directory = clean(path);
      const made = draft.createDirectories(caller.user, directory, taken);
      return { items: draft.at(caller.user, [directory]), events: events(["added", made]) };
    });
  }

  /** RS 4.6. */
  remove(caller: ModelUser, paths: readonly string[]): ExpectedOutcome {
    return this.#change((draft) => {
      const requested = cleanAll(paths);
      if (requested.length === 0) throw invalid();
      const found = requested.map((path) => this.#find(caller, path));
      const gone: ModelRecord[] = [];
      for (const { user, path } of found) {
        const tree = draft.tree(user);
        for (const [other, node] of [...tree]) {
          if (other !== path && !below(other, path)) continue;
          tree.delete(other);
          gone.push({ user, path: other, node });
        }
      }
      gone.sort((a, b) => compareBytes(a.path, b.path));
      return { items: gone, events: events(["deleted", gone]) };
    });
  }

  /** RS 4.4. */
  move(caller: ModelUser, request: TransferRequest): ExpectedOutcome {
    return this.#change((draft) => {
      const destination = cleanDirectory(request.destination ?? "");
      const paths = sourcesOf(request, destination);
      const [only = ""] = paths;
      if (paths.length === 1 && destination === "" && !only.includes("/")) throw invalid();
      const work = this.#transfer(draft, caller, { paths, destination, request });
      if (work.multiple) {
        paths.forEach((path, at) => {
          if (paths.slice(0, at).some((earlier) => below(path, earlier))) throw invalid();
        });
      }
      const targets = work.prepareTargets(true);
      const moved = new Map<Node, string>();
      const origin = (node: Node, path: string) => moved.get(node) ?? path;
      const before: ModelRecord[] = [...work.replaced];
      const after: ModelRecord[] = [];
      paths.forEach((source, at) => {
        const steps = work.move(source, targets[at] ?? "", work.sources[at]);
        for (const { kind, node, from } of steps) {
          const path = origin(node, from);
          if (kind === "moved") moved.set(node, path);
          else {
            moved.delete(node);
            (kind === "overwritten" ? before : after).push({ user: work.user, path, node });
          }
        }
      });
      const now = new Map(
        [...draft.tree(work.user)].map(([path, node]) => [node, path]),
      );
      // C 7: a record that moves twice comes with the source that it was below at first.
      const updated = [...moved.keys()]
        .map((node) => ({ user: work.user, path: now.get(node) ?? "", node }));
      return {
        items: [...work.createdDirectories, ...updated],
        events: events(
          ["deleted", before],
          ["added", work.createdDirectories],
          ["updated", updated],
          ["deleted", after],
        ),
      };
    });
  }

  /** RS 4.5. */
  copy(caller: ModelUser, request: TransferRequest): ExpectedOutcome {
    return this.#change((draft) => {
      const destination = clean(request.destination ?? "");
      const paths = sourcesOf(request, destination);
      return copyAll(draft, this.#transfer(draft, caller, { paths, destination, request }));
    });
  }

  /** C 26: a copy of what was, also to where it was. */
  restore({ user }: ModelUser, { body, then }: RestoreStep): ExpectedOutcome {
    return this.#change((draft) => {
      const path = clean(body.path);
      if (then === undefined) throw givenUp();
      const node = then.get(path);
      if (node === undefined) throw missing();
      const destination = clean(body.destination ?? path);
      const work = new TransferWork(draft, {
        user,
        sources: [node],
        paths: [path],
        destination,
        namesDirectory: endsAsDirectory(body.destination),
        force: body.force ?? false,
        then,
      });
      return copyAll(draft, work);
    });
  }

  /** Resolves the sources and the owner for move and copy. */
  #transfer(
    draft: Draft,
    caller: ModelUser,
    { paths, destination, request }: {
      paths: readonly string[];
      destination: string;
      request: TransferRequest;
    },
  ): TransferWork {
    const found = paths.map((path) => this.#find(caller, path));
    const [first] = found;
    if (first === undefined) throw invalid();
    if (found.some(({ user }) => user !== first.user)) throw invalid();
    return new TransferWork(draft, {
      user: first.user,
      sources: found.map(({ node }) => node),
      paths,
      destination,
      namesDirectory: endsAsDirectory(request.destination),
      force: request.force ?? false,
    });
  }

  /** RS 1.4. */
  #find(caller: ModelUser, path: string): ModelRecord {
    const own = this.#tree(caller.user).get(path);
    if (own !== undefined) return { user: caller.user, path, node: own };
    const [latest] = !caller.admin ? [] : this.records()
      .filter((place) => place.path === path)
      .sort((a, b) => b.node.updatedAt - a.node.updatedAt || (a.node.id ?? 0) - (b.node.id ?? 0));
    if (latest === undefined) throw missing();
    return latest;
  }

  #tree(user: number): Tree {
    return this.#trees.get(user) ?? new Map();
  }

  #at(user: number, paths: readonly string[]): ModelRecord[] {
    return new Draft(this.#trees).at(user, paths);
  }

  /** Applies an operation atomically: if it throws, nothing changes. */
  #change(operation: (draft: Draft) => ExpectedOutcome): ExpectedOutcome {
    const draft = new Draft(this.#trees);
    const outcome = operation(draft);
    this.#trees = draft.trees;
    return outcome;
  }
}

/** A copy of all trees, which an operation changes. */
class Draft {
  readonly trees: Map<number, Tree>;

  constructor(trees: ReadonlyMap<number, Tree>) {
    this.trees = new Map([...trees].map(([user, tree]) => [user, new Map(tree)]));
  }

  tree(user: number): Tree {
    const tree = this.trees.get(user) ?? new Map<string, Node>();
    this.trees.set(user, tree);
    return tree;
  }

  at(user: number, paths: readonly string[]): ModelRecord[] {
    return paths.flatMap((path) => {
      const node = this.tree(user).get(path);
      return node === undefined ? [] : [{ user, path, node }];
    });
  }

  /** Creates a directory and its missing ancestors, and returns the created records. */
  createDirectories(
    user: number,
    directory: string,
    blocked: () => ExpectedRefusal,
  ): ModelRecord[] {
    const tree = this.tree(user);
    const paths = ancestry(directory).filter((path) => {
      const existing = tree.get(path);
      if (existing?.isDir === false) throw blocked();
      return existing === undefined;
    });
    for (const path of paths) tree.set(path, newNode(undefined));
    return this.at(user, paths);
  }
}

interface Step {
  readonly kind: "moved" | "overwritten" | "merged";
  readonly node: Node;
  /** The path before the operation. */
  readonly from: string;
}

/** One move or copy in progress. */
class TransferWork {
  readonly user: number;
  readonly sources: readonly Node[];
  readonly multiple: boolean;
  readonly createdDirectories: ModelRecord[] = [];
  readonly replaced: ModelRecord[] = [];
  readonly #tree: Tree;

  constructor(
    readonly draft: Draft,
    readonly request: {
      readonly user: number;
      readonly sources: readonly Node[];
      readonly paths: readonly string[];
      readonly destination: string;
      readonly namesDirectory: boolean;
      readonly force: boolean;
      /** What the tree was that the sources are of (C 26). @default the present one */
      readonly then?: ModelTree;
    },
  ) {
    this.user = request.user;
    this.sources = request.sources;
    this.multiple = request.paths.length > 1;
    this.#tree = draft.tree(request.user);
  }

  /** A path and its descendants, in path order. */
  subtree(root: string): string[] {
    return [...this.#tree.keys()].filter((path) => path === root || below(path, root))
      .sort(compareBytes);
  }

  /** The sources, each with what is below it, before anything changes (C 7). */
  snapshots(): (readonly (readonly [string, Node])[])[] {
    const tree = this.request.then ?? this.#tree;
    return this.request.paths.map((source) =>
      [...tree].filter(([path]) => path === source || below(path, source))
        .sort(([a], [b]) => compareBytes(a, b))
    );
  }

  /** Resolves the target of each source, creates missing directories and removes replaced files. */
  prepareTargets(moving: boolean): string[] {
    const { paths, then } = this.request;
    const targets = this.multiple ? this.#multipleTargets() : [this.#singleTarget(moving)];
    const replacedFiles: string[] = [];
    paths.forEach((path, at) => {
      const target = targets[at] ?? "";
      const source = this.sources[at];
      const existing = this.#tree.get(target);
      if (existing === undefined) return;
      // C 7: a directory that is its own target moves into itself.
      const isItself = then === undefined && path === target;
      if (isItself && source?.isDir) throw invalid();
      if (!this.request.force) throw conflict();
      if (isItself) throw invalid();
      if (existing.isDir && !source?.isDir) throw conflict();
      // RS 4.4.7 and C 7: a directory replaces a file.
      if (!existing.isDir && source?.isDir) replacedFiles.push(target);
    });
    // They go as one deletion does (RS 4.6.5): by path.
    for (const target of replacedFiles.sort(compareBytes)) this.#replace(target);
    return targets;
  }

  /** RS 4.4, multiple sources. */
  #multipleTargets(): string[] {
    const { paths, destination } = this.request;
    const targets = paths.map((path) => join(destination, nameOf(path)));
    paths.forEach((path, at) => {
      if (this.sources[at]?.isDir && below(destination, path)) throw invalid();
      if (targets[at] === path) throw invalid();
    });
    if (new Set(targets).size < targets.length) throw conflict();
    this.createdDirectories.push(...this.draft.createDirectories(this.user, destination, conflict));
    return targets;
  }

  #singleTarget(moving: boolean): string {
    const { paths: [path = ""], destination, namesDirectory, force, then } = this.request;
    const existing = this.#tree.get(destination);
    // C 26: what comes back to its own path does not go into a directory that is there.
    if (this.sources[0]?.isDir || path === destination) {
      if (then === undefined && below(destination, path)) throw invalid();
      if (moving && destination === "") return nameOf(path);
      if (moving && existing?.isDir) return join(destination, nameOf(path));
      this.#createDirectory(parentOf(destination));
      return destination;
    }
    if (existing?.isDir || destination === "") return join(destination, nameOf(path));
    if (!namesDirectory) {
      this.#createDirectory(parentOf(destination));
      return destination;
    }
    if (existing !== undefined) {
      if (!force) throw conflict();
      this.#replace(destination);
    }
    this.#createDirectory(destination);
    return join(destination, nameOf(path));
  }

  #createDirectory(directory: string): void {
    this.createdDirectories.push(...this.draft.createDirectories(this.user, directory, conflict));
  }

  #replace(path: string): void {
    this.replaced.push(...this.draft.at(this.user, [path]));
    this.#tree.delete(path);
  }

  /** RS 4.4.4 to 4.4.7 with C 7, for one source whose target has been checked. */
  move(source: string, target: string, record: Node | undefined): Step[] {
    const tree = this.#tree;
    if (tree.get(source) !== record) throw invalid();
    const paths = this.subtree(source);
    const targetOf = (path: string) => target + path.slice(source.length);
    // C 7: a source directory is kept if one of its own descendants moves to its path.
    const kept = new Set(
      paths.filter((path) => paths.some((it) => below(it, path) && targetOf(it) === path)),
    );
    const moving = paths.filter((path) => !kept.has(path)).map((path) => ({
      path,
      node: tree.get(path) ?? newNode(undefined),
    }));
    for (const { path } of moving) tree.delete(path);
    const overwritten: Step[] = [];
    const merged: Step[] = [];
    const moved: Step[] = [];
    for (const { path, node } of moving) {
      const targetPath = targetOf(path);
      const existing = tree.get(targetPath);
      if (existing !== undefined && existing.isDir !== node.isDir) throw conflict();
      if (existing?.isDir) {
        merged.push({ kind: "merged", node, from: path });
        continue;
      }
      if (existing !== undefined) {
        overwritten.push({ kind: "overwritten", node: existing, from: targetPath });
      }
      tree.set(targetPath, node);
      moved.push({ kind: "moved", node, from: path });
    }
    // RS 4.4.7: the source itself is removed last.
    const root = merged.filter(({ from }) => from === source);
    const others = merged.filter(({ from }) => from !== source);
    return [...overwritten, ...others, ...root, ...moved];
  }
}

/** RS 4.5, C 7. */
function copyAll(draft: Draft, work: TransferWork): ExpectedOutcome {
  const { user, request: { paths } } = work;
  const targets = work.prepareTargets(false);
  const tree = draft.tree(user);
  const snapshots = work.snapshots();
  const gone: ModelRecord[] = [];
  const added: ModelRecord[] = [...work.createdDirectories];
  const updated: ModelRecord[] = [];
  // If a file conflicts with a directory below a source, the whole request fails.
  snapshots.forEach((snapshot, at) => {
    const source = paths[at] ?? "";
    for (const [path, node] of snapshot) {
      const target = (targets[at] ?? "") + path.slice(source.length);
      const existing = tree.get(target);
      if (existing !== undefined && existing.isDir !== node.isDir) throw conflict();
      if (existing?.isDir) {
        // RS 4.5.4 skips the root of the source if its target already exists.
        if (path !== source) updated.push({ user, path: target, node: existing });
        continue;
      }
      const copy = newNode(node.isDir ? undefined : node.content);
      if (existing !== undefined) gone.push({ user, path: target, node: existing });
      tree.set(target, copy);
      const place = { user, path: target, node: copy };
      (existing === undefined ? added : updated).push(place);
    }
  });
  return {
    items: [...added, ...updated],
    events: events(["deleted", [...work.replaced, ...gone]], ["added", added], [
      "updated",
      updated,
    ]),
  };
}

/** C 7: a trailing separator makes it a directory. */
const endsAsDirectory = (destination: string | null | undefined) =>
  /[/\\]\s*$/.test(destination ?? "");

function sourcesOf({ source, sources }: TransferRequest, destination: string): string[] {
  const paths = cleanAll([...sources ?? [], ...(source == null ? [] : [source])]);
  if (paths.length === 0 || paths.includes(destination)) throw invalid();
  return paths;
}

function events(...groups: readonly (readonly [string, readonly ModelRecord[]])[]) {
  return groups.flatMap(([kind, places]) => places.map((place) => ({ ...place, kind })));
}
