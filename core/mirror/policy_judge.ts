import { type Decision, judge } from "../policy/judge.ts";
import type { CurrentPolicy, Facts, Policy } from "../policy/policy.ts";
import { PolicyRefusal } from "../policy/refusal.ts";
import { contentFacts, signatureFacts } from "../policy/tree_facts.ts";
import type { BundleCache } from "../signatures/bundle_cache.ts";
import { MIB } from "../../schemas/units.ts";
import { type MirrorParts, refusalOf } from "./mirror.ts";
import { MirroredSignatures } from "./mirrored_signature.ts";
import type { Judge, MirrorSubject } from "./ports.ts";
import { smallContent } from "./small_content.ts";
import type { MirrorEntry, MirrorRevision } from "./store.ts";

/** Of how many revisions it is remembered whether they have code. */
const MAX_REMEMBERED = 10_000;
const PAGE_ENTRIES = 1000;
/** A larger configuration counts as one that names code. */
const MAX_CONFIG_BYTES = MIB;
/** The most configurations of a revision that are read. */
const MAX_CONFIGS = 16;

export interface PolicyJudgeOptions {
  readonly current: CurrentPolicy;
  readonly parts: Pick<MirrorParts, "tree" | "caller" | "store" | "upstream">;
  /** Verifies bundles. @default nobody is trusted */
  readonly bundles?: BundleCache | undefined;
}

/** Judges files of another hub by the rules of the last reload (C 28). */
export class PolicyJudge {
  readonly #options: PolicyJudgeOptions;
  readonly #signatures: MirroredSignatures | undefined;
  /** Whether revisions have code that loaders may run, by their numbers, as found out here: they never change. */
  readonly #haveCode = new Map<number, Promise<boolean>>();

  constructor(options: PolicyJudgeOptions) {
    const { bundles, parts } = options;
    this.#options = options;
    this.#signatures = bundles && new MirroredSignatures(parts, bundles);
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
    if (decision.outcome !== "undecided") return decision;
    const { missing } = decision;
    const found = {
      ...missing.includes("remoteCode") && { remoteCode: await this.#hasCode(subject.revision) },
      ...missing.some((it) => it === "signature" || it === "signedBy") &&
        await this.#signatureFacts(subject),
    };
    return judge(policy, { ...facts, ...found }, "mirror");
  }

  async #signatureFacts(subject: MirrorSubject): Promise<Pick<Facts, "signature" | "signedBy">> {
    const found = await this.#signatures?.of(subject);
    return found === undefined ? {} : signatureFacts(found);
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
      const content = await smallContent(this.#options.parts, { revision, file });
      const text = new TextDecoder().decode(content);
      const config: unknown = JSON.parse(text);
      return typeof config === "object" && config !== null && "auto_map" in config;
    } catch (error) {
      if (error instanceof SyntaxError) return true;
      throw refusalOf(error, revision);
    }
  }
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
