import { createHash } from "node:crypto";
import { type Chunk, joinChunks } from "../content.ts";
import { quoted } from "../errors.ts";
import { type Decision, judge } from "../policy/judge.ts";
import type { CurrentPolicy, Facts, Policy } from "../policy/policy.ts";
import { PolicyRefusal } from "../policy/refusal.ts";
import { contentFacts } from "../policy/tree_facts.ts";
import { openFile } from "../tree/file_content.ts";
import { MIB } from "../../schemas/units.ts";
import { type MirroredFile, type MirrorParts, pathOf, refusalOf } from "./mirror.ts";
import { type Judge, type MirrorSubject, UpstreamAway } from "./ports.ts";
import type { MirrorEntry, MirrorRevision } from "./store.ts";

/** Of how many revisions it is remembered whether they have code. */
const MAX_REMEMBERED = 10_000;
const PAGE_ENTRIES = 1000;
/** A larger configuration counts as one that names code. */
const MAX_CONFIG_BYTES = MIB;
/** The most configurations of a revision that are read. */
const MAX_CONFIGS = 16;
/** How long reading one may take, in milliseconds. */
const MAX_READ_MS = 10_000;

export interface PolicyJudgeOptions {
  readonly current: CurrentPolicy;
  readonly parts: Pick<MirrorParts, "tree" | "caller" | "store" | "upstream">;
}

/** Judges files of another hub by the rules of the last reload (C 28). */
export class PolicyJudge {
  readonly #options: PolicyJudgeOptions;
  /** Whether revisions have code that loaders may run, by their numbers, as found out here: they never change. */
  readonly #haveCode = new Map<number, Promise<boolean>>();

  constructor(options: PolicyJudgeOptions) {
    this.#options = options;
  }

  /** Refuses what a rule refuses by what is known. @throws {PolicyRefusal} */
  readonly judge: Judge = async (subject) => {
    const decision = await this.decide(subject);
    if (decision?.outcome !== "deny") return;
    throw new PolicyRefusal("download", subject.file.path, decision);
  };

  /**
   * What the rules say about a file. Undefined without any. A repository that was renamed needs the leave of the rules
   * by both of its names: whoever has it now may be somebody else.
   */
  async decide(subject: MirrorSubject): Promise<Decision | undefined> {
    const policy = this.#options.current();
    if (policy === undefined) return undefined;
    const { id, about: { realId } } = subject.revision;
    const asked = await this.#decideAs(policy, subject, id);
    if (realId === undefined || asked.outcome === "deny") return asked;
    const real = await this.#decideAs(policy, subject, realId);
    return real.outcome === "allow" ? asked : real;
  }

  async #decideAs(policy: Policy, subject: MirrorSubject, repository: string): Promise<Decision> {
    const facts = { ...factsOf(subject), repository };
    const decision = judge(policy, facts, "mirror");
    if (decision.outcome !== "undecided" || !decision.missing.includes("remoteCode")) {
      return decision;
    }
    const remoteCode = await this.#hasCode(subject.revision);
    return judge(policy, { ...facts, remoteCode }, "mirror");
  }

  async #hasCode(revision: MirrorRevision): Promise<boolean> {
    if (revision.hasCode !== undefined) return revision.hasCode;
    const known = this.#haveCode.get(revision.revision);
    if (known !== undefined) return await known;
    const found = this.#noteCode(revision);
    const [oldest] = this.#haveCode.keys();
    if (this.#haveCode.size >= MAX_REMEMBERED && oldest !== undefined) {
      this.#haveCode.delete(oldest);
    }
    this.#haveCode.set(revision.revision, found);
    // Another request asks again.
    found.catch(() => this.#haveCode.delete(revision.revision));
    return await found;
  }

  /** Finds it out once and for all: the other hub may be away later. */
  async #noteCode(revision: MirrorRevision): Promise<boolean> {
    const found = await this.#findCode(revision);
    await this.#options.parts.store.noteCode(revision.revision, found);
    return found;
  }

  async #findCode(revision: MirrorRevision): Promise<boolean> {
    const configs: MirrorEntry[] = [];
    for (let after: string | undefined = ""; after !== undefined;) {
      const entries: MirrorEntry[] = await this.#options.parts.store.listEntries({
        ...{ revision: revision.revision, below: "", recursive: true, after },
        limit: PAGE_ENTRIES,
      });
      const files = entries.filter(({ isDir }) => !isDir);
      if (files.some(({ path }) => /\.py$/i.test(path))) return true;
      configs.push(...files.filter(({ path }) => /^[^/]*config\.json$/i.test(path)));
      after = entries.length < PAGE_ENTRIES ? undefined : entries.at(-1)?.path;
    }
    if (configs.length > MAX_CONFIGS) return true;
    for (const config of configs) {
      if (await this.#namesCode(revision, config)) return true;
    }
    return false;
  }

  /** Whether a configuration names code. What cannot be read as one counts as one that does. */
  async #namesCode(revision: MirrorRevision, file: MirrorEntry): Promise<boolean> {
    if (file.size > MAX_CONFIG_BYTES) return true;
    try {
      const text = new TextDecoder().decode(await this.#content({ revision, file }));
      const config: unknown = JSON.parse(text);
      return typeof config === "object" && config !== null && "auto_map" in config;
    } catch (error) {
      if (error instanceof SyntaxError) return true;
      throw refusalOf(asAway(error, file), revision);
    }
  }

  /** The content of a small file: from the tree, or else from the other hub. */
  async #content(subject: MirroredFile): Promise<Chunk> {
    const { tree, caller, upstream } = this.#options.parts;
    const { revision: { kind, id, commitId }, file: { path, size } } = subject;
    const stored = pathOf(subject);
    const scope = { userId: caller.userId, everyone: false };
    const record = (await tree.records.findByPath(scope, [stored])).get(stored);
    const source = record === undefined
      ? await upstream.open(
        { kind, id, commitId, path, size },
        0,
        AbortSignal.timeout(MAX_READ_MS),
      )
      : await openFile(tree, record, { start: 0, end: size });
    const chunks: Chunk[] = [];
    let bytes = 0;
    for await (const chunk of source ?? []) {
      bytes += chunk.length;
      if (bytes > size) break;
      chunks.push(chunk.slice());
    }
    const content = joinChunks(chunks);
    if (digestOf(content, subject.file) === (subject.file.sha256 ?? subject.file.blobId)) {
      return content;
    }
    throw new UpstreamAway("The other hub has sent something else");
  }
}

/** A time-out is as good as no answer. */
function asAway(error: unknown, { path }: MirrorEntry): unknown {
  if (!(error instanceof DOMException) || error.name !== "TimeoutError") return error;
  const message = `The other hub does not send ${quoted(path)} within ${MAX_READ_MS / 1000} s`;
  return new UpstreamAway(message, undefined, { cause: error });
}

/** The digest of content that the other hub states of a file. */
function digestOf(content: Chunk, { sha256 }: MirrorEntry): string {
  return sha256 === undefined
    ? createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex")
    : createHash("sha256").update(content).digest("hex");
}

/** What is known of a file of another hub, but for its name and for code in its revision. */
function factsOf({ revision, file, verdict }: MirrorSubject): Omit<Facts, "repository"> {
  const { kind, askedFirstAt, about: { modifiedAt, tags } } = revision;
  const license = tags.find((tag) => tag.startsWith("license:"));
  return {
    kind: kind === "datasets" ? "dataset" : "model",
    file: file.path,
    size: file.size,
    license: license?.slice("license:".length).toLowerCase() ?? null,
    // Without a time, it counts as made when it was first asked for.
    age: Date.now() - (modifiedAt === 0 ? askedFirstAt : modifiedAt),
    ...(verdict && contentFacts(verdict)),
  };
}
