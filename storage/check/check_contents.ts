import { DamagedContent, quoted } from "../../core/errors.ts";
import type { Digest } from "../blobs/hasher.ts";
import { PREFIXES } from "../blobs/paths.ts";
import type { ContentUse, RecordAudit } from "../database/record_audit.ts";
import type { ContentTotals } from "../database/snapshot.ts";
import { forEach } from "../threads/for_each.ts";
import type { ContentRepairs } from "./content_repairs.ts";
import type { Findings } from "./findings.ts";
import type { StoredContents } from "./stored_contents.ts";
import { unreferencedContent } from "./unreferenced_content.ts";

export interface ContentCheckOptions {
  readonly audit: RecordAudit;
  readonly stored: StoredContents;
  readonly findings: Findings;
  /** Whether all content is read. */
  readonly readData: boolean;
  /** Undefined to repair nothing. */
  readonly repairs: ContentRepairs | undefined;
  /** Whether a server uses the directory now. */
  readonly isServed: () => Promise<boolean>;
  /** Which content without a record the next start moves away, so that it is no fault. */
  readonly pending: "all" | "announced" | "none";
  readonly onProgress: (done: ContentTotals) => void;
}

export interface ContentCheckResult {
  /** The contents of records that are stored. */
  readonly contents: ContentTotals;
  /** How many contents without a record the next start will move into quarantine. */
  readonly pending: number;
}

/** Compares all records with the stored content (C 5.3, C 5.4). */
export async function checkContents(options: ContentCheckOptions): Promise<ContentCheckResult> {
  const check = new ContentCheck(options);
  const { audit, stored: contents, findings, repairs } = options;
  const startedAt = Date.now();
  const candidates: string[] = [];
  for (const prefix of PREFIXES) {
    const stored = contents.hashesBelow(prefix);
    const uses = audit.contentsBelow(prefix);
    await forEach(uses, navigator.hardwareConcurrency, (use) => check.check(use));
    for (const { hash } of uses) stored.delete(hash);
    for (const hash of stored) candidates.push(hash);
  }
  const unreferenced = new Set(await unreferencedContent(candidates, { ...options, startedAt }));
  const pending = await pendingOf([...unreferenced], options);
  for (const hash of pending) unreferenced.delete(hash);
  await repairs?.quarantine([...unreferenced]);
  for (const hash of unreferenced) {
    const message = `Content ${hash} has no record`;
    findings.add({ kind: "unreferenced", message, hash }, { repaired: repairs !== undefined });
  }
  return { contents: check.done, pending: pending.length };
}

/** Returns those contents without a record that the next start moves away. */
async function pendingOf(
  unreferenced: readonly string[],
  { pending, repairs, stored, isServed }: ContentCheckOptions,
): Promise<readonly string[]> {
  if (pending === "none" || repairs !== undefined || await isServed()) return [];
  return pending === "all" ? unreferenced : stored.small.known(unreferenced);
}

class ContentCheck {
  readonly done = { files: 0, bytes: 0 };
  readonly #options: ContentCheckOptions;

  constructor(options: ContentCheckOptions) {
    this.#options = options;
  }

  /** Checks one content. The server may remove, replace or add it at any time. */
  async check(use: ContentUse): Promise<void> {
    const { stored, readData } = this.#options;
    const file = stored.find(use.hash);
    if (file === undefined) return await this.#confirmMissing(use);
    this.done.files++;
    if (!readData) this.done.bytes += file.size;
    const suspicious = file.size !== use.size || !use.agree;
    if (readData || suspicious) await this.#read(use, file.identity);
    this.#options.onProgress(this.done);
  }

  async #read(use: ContentUse, identity: string): Promise<void> {
    const { stored, readData } = this.#options;
    const { hash, size, crc32, agree } = use;
    const digest = await stored.digest(hash, (bytes) => {
      if (!readData) return;
      this.done.bytes += bytes;
      this.#options.onProgress(this.done);
    }).catch((error) => new DamagedContent(hash, `MD5 ${hash}`, error.message));
    if (digest === undefined) return await this.#confirmMissing(use);
    if (digest instanceof DamagedContent || digest.hash !== hash) {
      const found = digest instanceof DamagedContent ? digest.found : `MD5 ${digest.hash}`;
      // Not if an upload has replaced the file meanwhile, or no record has it any more.
      const same = stored.find(hash)?.identity === identity;
      if (same && this.#currentUse(hash) !== undefined) await this.#damaged(use, found);
      return;
    }
    if (!agree || digest.size !== size || digest.crc32 !== crc32) this.#wrongFacts(use, digest);
  }

  async #damaged(use: ContentUse, found: string): Promise<void> {
    const { findings, repairs } = this.#options;
    const { hash } = use;
    let repaired = false;
    if (repairs !== undefined) {
      await repairs.setAside(hash);
      repaired = await repairs.restore(hash);
    }
    const moved = repairs === undefined ? "" : "; it was moved to damaged/";
    const message = `Content ${hash} is damaged: found ${found}; it is that of ${
      nameOf(use)
    }${moved}`;
    findings.add({ kind: "damaged", message, ...fieldsOf(use) }, { repaired });
  }

  #wrongFacts(use: ContentUse, digest: Digest): void {
    const { audit, findings, repairs } = this.#options;
    if (repairs !== undefined) audit.correctFacts(digest);
    const message = `A record states a wrong size or CRC-32 of its content ${use.hash}: ${
      nameOf(use)
    }`;
    const repaired = repairs !== undefined;
    findings.add({ kind: "facts", message, ...fieldsOf(use) }, { repaired });
  }

  /** Reports missing content, if one record has had it before and after it was looked for. */
  async #confirmMissing({ hash }: ContentUse): Promise<void> {
    const { audit, stored, findings, repairs } = this.#options;
    for (;;) {
      const use = this.#currentUse(hash);
      if (use === undefined) return;
      if (stored.find(hash) !== undefined) return await this.check(use);
      if (!audit.has(use.record, hash)) continue;
      const repaired = await repairs?.restore(hash) ?? false;
      const message = `Content ${hash} is missing; it is that of ${nameOf(use)}`;
      findings.add({ kind: "missing", message, ...fieldsOf(use) }, { repaired });
      return;
    }
  }

  #currentUse(hash: string): ContentUse | undefined {
    return this.#options.audit.contentsBelow(hash)[0];
  }
}

/** Names a content for people by one of its files. */
export function nameOf({ record: { userId, path }, records }: ContentUse): string {
  const more = records === 1 ? "" : ` and ${records - 1} more`;
  return `${quoted(path)} of user ${userId}${more}`;
}

function fieldsOf({ hash, record: { userId, path } }: ContentUse) {
  return { hash, user_id: userId, path };
}
