import { DamagedContent, quoted } from "../../../core/errors.ts";
import type { Digest } from "../../content/hasher.ts";
import { PREFIXES } from "../../content/paths.ts";
import type { StoredFile } from "../../content/directory/blob_inventory.ts";
import type { ContentTotals } from "../../sqlite/snapshot.ts";
import type { ContentUse, RecordAudit } from "../../tables/record_audit.ts";
import { forEach } from "../../threads/for_each.ts";
import type { ContentRepairs } from "./content_repairs.ts";
import type { Findings } from "./findings.ts";
import { differenceOf, type StoredContents } from "./stored_contents.ts";
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
  /** Content without a record that the next start moves away, besides what was dropped. It is not a fault. */
  readonly pending: "all" | "announced" | "none";
  readonly onProgress: (done: ContentTotals) => void;
}

export interface ContentCheckResult {
  /** The contents of records that are stored. */
  readonly contents: ContentTotals;
  /** How many contents without a record the next start will move away. */
  readonly pending: number;
}

/** Compares all records with the stored content (C 5.3, C 5.4). */
export async function checkContents(
  check: ContentCheck,
  options: ContentCheckOptions,
): Promise<ContentCheckResult> {
  const { audit, stored: contents, findings, repairs } = options;
  const startedAt = Date.now();
  const candidates: string[] = [];
  for (const prefix of PREFIXES) {
    const stored = await contents.below(prefix);
    const uses = await audit.contentsBelow(prefix);
    const concurrency = navigator.hardwareConcurrency;
    await forEach(uses, concurrency, (use) => check.check(use, stored.get(use.hash)));
    for (const { hash } of uses) stored.delete(hash);
    for (const hash of stored.keys()) candidates.push(hash);
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
  { audit, pending, repairs, stored, isServed }: ContentCheckOptions,
): Promise<readonly string[]> {
  if (repairs !== undefined || await isServed()) return [];
  if (pending === "none") return await audit.dropped(unreferenced);
  return pending === "all" ? unreferenced : await stored.known(unreferenced);
}

/** Compares contents with what their records state. */
export class ContentCheck {
  readonly done = { files: 0, bytes: 0 };
  readonly #options: ContentCheckOptions;

  constructor(options: ContentCheckOptions) {
    this.#options = options;
  }

  /**
   * Checks one content. Servers may remove, replace or add it at any time.
   *
   * @param listed What is stored. @default what is found
   */
  async check(use: ContentUse, listed?: StoredFile): Promise<void> {
    const { stored, readData } = this.#options;
    const file = listed ?? await stored.find(use.hash);
    if (file === undefined) return await this.#confirmMissing(use);
    this.done.files++;
    if (!readData) this.done.bytes += file.size;
    const suspicious = file.size !== use.size || !use.agree;
    if (readData || suspicious) await this.#read(use, file.identity);
    this.#options.onProgress(this.done);
  }

  /** Checks content again that was there by what the database says, but not in the store. */
  async recheck(hash: string): Promise<void> {
    const use = await this.#currentUse(hash);
    if (use === undefined) return;
    this.done.files--;
    this.done.bytes -= use.size;
    await this.check(use);
  }

  async #read(use: ContentUse, identity: string): Promise<void> {
    const { stored, readData } = this.#options;
    const { hash, size, crc32, agree } = use;
    const digest = await stored.digest(hash, (bytes) => {
      if (!readData) return;
      this.done.bytes += bytes;
      this.#options.onProgress(this.done);
    }).catch((error) => {
      if (error instanceof DamagedContent) return error;
      throw error;
    });
    if (digest === undefined) return await this.#confirmMissing(use);
    if (digest instanceof DamagedContent || differenceOf(digest, use) !== undefined) {
      // Not if an upload has replaced the file meanwhile, or no record has it any more.
      const same = (await stored.find(hash))?.identity === identity;
      const current = same ? await this.#currentUse(hash) : undefined;
      const found = current && differenceOf(digest, current);
      if (found !== undefined) await this.#damaged(use, found);
      return;
    }
    if (!agree || digest.size !== size || digest.crc32 !== crc32) {
      await this.#wrongFacts(use, digest);
    }
  }

  async #damaged(use: ContentUse, found: string): Promise<void> {
    const { findings, repairs } = this.#options;
    const { hash } = use;
    const isMoved = await repairs?.setAside(hash) ?? false;
    const repaired = isMoved && await repairs?.restore(use) === true;
    const moved = isMoved ? "; it was moved to damaged/" : "";
    const message = `Content ${hash} is damaged: found ${found}; it is that of ${
      nameOf(use)
    }${moved}`;
    findings.add({ kind: "damaged", message, ...fieldsOf(use) }, { repaired });
  }

  async #wrongFacts(use: ContentUse, digest: Digest): Promise<void> {
    const { audit, findings, repairs } = this.#options;
    if (repairs !== undefined) await audit.correctFacts(digest);
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
      const use = await this.#currentUse(hash);
      if (use === undefined) return;
      const file = await stored.find(hash);
      if (file !== undefined) return await this.check(use, file);
      if (!await audit.has(use.record, hash)) continue;
      const repaired = await repairs?.restore(use) ?? false;
      const message = `Content ${hash} is missing; it is that of ${nameOf(use)}`;
      findings.add({ kind: "missing", message, ...fieldsOf(use) }, { repaired });
      return;
    }
  }

  async #currentUse(hash: string): Promise<ContentUse | undefined> {
    return (await this.#options.audit.contentsOf([hash]))[0];
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
