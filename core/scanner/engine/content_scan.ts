import { type Checkpoint, ScanStopped, withCheckpoint } from "../contract/checkpoint.ts";
import { truncate } from "../contract/excerpt.ts";
import type { FileResult } from "../contract/file_result.ts";
import type { Check, Content, ScanContext, ScanLimits, Scanner } from "../contract/scanner.ts";
import { AssetCollector } from "./asset_sheet.ts";
import { CheckLog } from "./check_log.ts";
import { MetadataCollector } from "./facts.ts";
import { type ContentKind, detectKind } from "./detect_kind.ts";
import { FileMemberHashes } from "./file_member_hashes.ts";
import * as engineChecks from "./engine_checks.ts";

/** The name under which the engine's own checks are told. */
const ENGINE = "file";
const NAME_LENGTH = 200;

/** The names that lead from the file to a content in it; none for the file. */
type Segments = readonly string[];

interface ContentScanOptions {
  readonly scanners: readonly Scanner[];
  readonly limits: ScanLimits;
  readonly skip: readonly string[];
  readonly now: () => number;
  readonly checkpoint: Checkpoint;
}

/** One scan of a file: runs the scanners on it and on its members, within the limits. */
export class ContentScan {
  readonly #scanners: readonly Scanner[];
  readonly #limits: ScanLimits;
  readonly #skip: ReadonlySet<string>;
  readonly #checkpoint: Checkpoint;
  readonly #log: CheckLog;
  readonly #facts = new MetadataCollector();
  readonly #asset = new AssetCollector();
  readonly #hashes = new FileMemberHashes();
  readonly #ran = new Set<string>();
  readonly #emitted = new Set<string>();
  #members = 0;
  #unpackedLeft: number;
  /** Unpacked bytes of the contents that lead to the one that is looked at. */
  #held = 0;

  constructor({ scanners, limits, skip, now, checkpoint }: ContentScanOptions) {
    this.#scanners = scanners;
    this.#limits = limits;
    this.#skip = new Set(skip);
    this.#checkpoint = checkpoint;
    this.#log = new CheckLog(now);
    this.#unpackedLeft = limits.maxUnpackedBytes;
  }

  /** Scans the file itself. */
  file(content: Content): void {
    try {
      const kind = detectKind(content.source);
      this.#asset.type = kind ?? "unknown";
      const claiming = this.#scan(content, [], kind);
      if (claiming.length === 0) {
        this.#emit(ENGINE, [], engineChecks.noScanner(content.source.size, kind));
      }
    } catch (error) {
      if (!(error instanceof ScanStopped)) throw error;
      this.#emit(ENGINE, [], engineChecks.outOfTime());
    }
  }

  result(): Omit<FileResult, "size" | "hashes" | "timestamp"> {
    const { operationalError } = this.#log;
    this.#facts.add(this.#hashes.facts);
    return {
      scanners: [...this.#ran],
      checks: this.#log.checks(),
      asset: this.#asset.all,
      metadata: this.#facts.all,
      inconclusive: this.#log.inconclusive,
      ...(operationalError !== undefined && { operationalError }),
    };
  }

  #scan(content: Content, segments: Segments, kind: ContentKind | undefined): Scanner[] {
    const claiming = this.#scanners.filter((it) => this.#claims(it, content, segments));
    const [first] = claiming;
    if (first !== undefined && content.depth === 0) this.#asset.type = first.id;
    for (const scanner of claiming) {
      if (this.#skip.has(scanner.id)) {
        this.#emit(ENGINE, segments, engineChecks.notSelected(scanner.id));
      } else this.#run(scanner, content, segments);
    }
    const really = kind ?? (claiming.some(({ id }) => id === "pickle") ? "pickle" : undefined);
    const check = engineChecks.fileType(content, really);
    if (check !== undefined) this.#emit(ENGINE, segments, check);
    return claiming;
  }

  #claims(scanner: Scanner, content: Content, segments: Segments): boolean {
    try {
      return scanner.matches(content);
    } catch (error) {
      if (error instanceof ScanStopped) throw error;
      this.#emit(scanner.id, segments, engineChecks.scannerFailed(scanner.id, error));
      return false;
    }
  }

  #run(scanner: Scanner, content: Content, segments: Segments): void {
    this.#ran.add(scanner.id);
    try {
      const context = this.#contextOf(scanner, content, segments);
      for (const check of scanner.scan(content, context)) this.#emit(scanner.id, segments, check);
    } catch (error) {
      if (error instanceof ScanStopped) throw error;
      this.#emit(scanner.id, segments, engineChecks.scannerFailed(scanner.id, error));
    }
  }

  #contextOf(scanner: Scanner, content: Content, segments: Segments): ScanContext {
    const isMember = content.depth > 0;
    let unpacked = 0;
    return {
      limits: { ...this.#limits, maxMemberBytes: this.#memberBytes() },
      addMetadata: (noted) => {
        const facts = this.#hashes.take(noted, segments);
        if (isMember) this.#facts.addOfMember(facts);
        else this.#facts.add(facts);
      },
      addAssetParts: (parts) => {
        if (!isMember) this.#asset.add(parts);
      },
      scanMember: (name, source) => {
        const held = Math.min(unpacked, source.size);
        unpacked = 0;
        this.#held += held;
        this.#member({ name, source, depth: content.depth + 1 }, segments, scanner.id);
        this.#held -= held;
      },
      reserveUnpacked: (bytes) => {
        const taken = this.#reserveUnpacked(bytes);
        unpacked += taken;
        return taken;
      },
    };
  }

  /** What a member may take, where those that it is in are in memory, too: two are at their largest. */
  #memberBytes(): number {
    const { maxMemberBytes: memberBytes } = this.#limits;
    return Math.max(0, Math.min(memberBytes, 2 * memberBytes - this.#held));
  }

  #member(member: Content, outer: Segments, scanner: string): void {
    const limit = this.#limitReached(member.depth);
    if (limit !== undefined) return this.#emitOnce(scanner, outer, limit);
    this.#members++;
    const segments = [...outer, truncate(member.name, NAME_LENGTH)];
    try {
      const source = withCheckpoint(member.source, this.#checkpoint);
      this.#scan({ ...member, source }, segments, detectKind(source));
    } catch (error) {
      if (error instanceof ScanStopped) throw error;
      this.#emit(scanner, segments, engineChecks.scannerFailed(scanner, error));
    }
  }

  #limitReached(depth: number): Check | undefined {
    if (depth > this.#limits.maxDepth) return engineChecks.tooDeep(this.#limits.maxDepth);
    return this.#members < this.#limits.maxMembers
      ? undefined
      : engineChecks.tooMany(this.#limits.maxMembers);
  }

  #reserveUnpacked(bytes: number): number {
    const taken = Math.min(Math.max(0, Math.floor(bytes) || 0), this.#unpackedLeft);
    this.#unpackedLeft -= taken;
    return taken;
  }

  #emitOnce(scanner: string, segments: Segments, check: Check): void {
    if (!this.#emitted.has(check.name)) this.#emit(scanner, segments, check);
    this.#emitted.add(check.name);
  }

  #emit(scanner: string, segments: Segments, check: Check): void {
    this.#log.add(scanner, segments.map((it) => `:${it}`).join(""), check);
  }
}
