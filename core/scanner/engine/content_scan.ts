import { type Checkpoint, ScanStopped, withCheckpoint } from "../contract/checkpoint.ts";
import { truncate } from "../contract/excerpt.ts";
import type { FileResult } from "../contract/file_result.ts";
import { isModelName } from "../contract/model_names.ts";
import { memberLimits, type PickleMaxima } from "../contract/limits.ts";
import type { Check, Content, ScanContext, ScanLimits, Scanner } from "../contract/scanner.ts";
import { AssetCollector } from "./asset_collector.ts";
import { CheckLog } from "./check_log.ts";
import { type ContentKind, detectKind } from "./detect_kind.ts";
import * as engineChecks from "./engine_checks.ts";
import { FactsCollector } from "./facts_collector.ts";
import { FileMemberHashes } from "./file_member_hashes.ts";
import { MetadataCollector } from "./metadata_collector.ts";
import { plainObject } from "./plain_data.ts";

/** The scanner id of the engine's own checks. */
const ENGINE = "file";
/** The scanner id of compressed files: what is in one stands for it. */
const COMPRESSED = "compressed";
const MAX_NAME_CHARS = 200;

/** The member names from the file to a content in it; empty for the file itself. */
type Segments = readonly string[];

interface ContentScanOptions {
  readonly scanners: readonly Scanner[];
  readonly limits: ScanLimits;
  readonly maxima: PickleMaxima;
  readonly skip: readonly string[];
  readonly now: () => number;
  readonly checkpoint: Checkpoint;
}

/** One scan of a file: runs the scanners on the file and its members, within the limits. */
export class ContentScan {
  readonly #scanners: readonly Scanner[];
  readonly #limits: ScanLimits;
  readonly #maxima: PickleMaxima;
  readonly #skip: ReadonlySet<string>;
  readonly #checkpoint: Checkpoint;
  readonly #log: CheckLog;
  readonly #metadata = new MetadataCollector();
  readonly #asset = new AssetCollector();
  readonly #facts = new FactsCollector();
  readonly #hashes = new FileMemberHashes();
  readonly #ran = new Set<string>();
  readonly #emittedOnce = new Set<string>();
  #members = 0;
  #unpackedLeft: number;
  /**
   * The scanner of the file whose members tell what is known of the model: when a second one unpacks the
   * file, too, its members are the same.
   */
  #describing: string | undefined;
  /** The scanner of the file that is running. */
  #running: string | undefined;
  /** Unpacked bytes of the containers around the content that is being scanned. */
  #heldBytes = 0;

  constructor({ scanners, limits, maxima, skip, now, checkpoint }: ContentScanOptions) {
    this.#scanners = scanners;
    this.#limits = limits;
    this.#maxima = maxima;
    this.#skip = new Set(skip);
    this.#checkpoint = checkpoint;
    this.#log = new CheckLog(now);
    this.#unpackedLeft = limits.maxUnpackedBytes;
  }

  /** Scans the file, and the members that its scanners find. Call once. */
  scanFile(content: Content): void {
    try {
      const kind = detectKind(content.source);
      this.#asset.type = kind ?? "unknown";
      const matching = this.#scan(content, [], kind);
      if (matching.length === 0) {
        this.#emit(ENGINE, [], engineChecks.noScanner(content, kind));
      }
    } catch (error) {
      if (!(error instanceof ScanStopped)) throw error;
      this.#emit(ENGINE, [], engineChecks.timedOut());
    }
  }

  result(): Omit<FileResult, "size" | "hashes" | "timestamp"> {
    const { operationalError } = this.#log;
    const facts = this.#facts.with(this.#asset.type, this.#metadata.metadata);
    return {
      scanners: [...this.#ran],
      checks: this.#log.checks(),
      asset: this.#asset.asset,
      metadata: { ...this.#metadata.metadata, ...plainObject(this.#hashes.metadata) },
      ...(facts !== undefined && { facts }),
      inconclusive: this.#log.inconclusive,
      ...(operationalError !== undefined && { operationalError }),
    };
  }

  #scan(content: Content, segments: Segments, kind: ContentKind | undefined): Scanner[] {
    const matching = this.#scanners.filter((it) => this.#matches(it, content, segments));
    const [first] = matching;
    if (first !== undefined && content.depth === 0) this.#asset.type = first.id;
    for (const scanner of matching) {
      if (this.#skip.has(scanner.id)) {
        this.#emit(ENGINE, segments, engineChecks.notSelected(scanner.id));
      } else this.#run(scanner, content, segments);
    }
    // Pickles of protocols 0 and 1 have no signature, but their scanner recognizes them.
    const actual = kind ?? (matching.some(({ id }) => id === "pickle") ? "pickle" : undefined);
    // Where an archive is cut, its last members may reach into the next ones.
    const check = content.source.isCut ? undefined : engineChecks.fileType(content, actual);
    if (check !== undefined) this.#emit(ENGINE, segments, check);
    return matching;
  }

  #matches(scanner: Scanner, content: Content, segments: Segments): boolean {
    if (scanner.optional && this.#skip.has(scanner.id)) return false;
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
      const isCut = content.source.isCut ?? false;
      for (const check of scanner.scan(content, context)) {
        this.#emit(scanner.id, segments, isCut ? engineChecks.ofBeginning(check) : check);
      }
    } catch (error) {
      if (error instanceof ScanStopped) throw error;
      this.#emit(scanner.id, segments, engineChecks.scannerFailed(scanner.id, error));
    }
  }

  #contextOf(scanner: Scanner, content: Content, segments: Segments): ScanContext {
    const isMember = content.depth > 0;
    let unpacked = 0;
    return {
      limits: this.#limitsFor(content),
      addMetadata: (reported) => {
        const facts = this.#hashes.extract(reported, segments);
        if (isMember) this.#metadata.addOfMember(facts, this.#running === this.#describing);
        else this.#metadata.add(facts);
      },
      addFacts: (facts) => {
        if (!isMember) this.#facts.add(facts);
        else if (this.#running === this.#describing) this.#facts.addOfMember(facts);
      },
      addAssetParts: (parts) => {
        if (!isMember) this.#asset.add(parts);
      },
      scanMember: (name, source) => {
        const held = Math.min(unpacked, source.size);
        unpacked = 0;
        this.#heldBytes += held;
        if (!isMember) {
          this.#running = scanner.id;
          this.#describing ??= scanner.id;
        }
        this.#scanMember({ name, source, depth: content.depth + 1 }, segments, scanner.id);
        this.#heldBytes -= held;
      },
      reserveUnpacked: (bytes) => {
        const granted = this.#reserveUnpacked(bytes);
        unpacked += granted;
        return granted;
      },
    };
  }

  /** The limits for content: a member may be much larger than the file. */
  #limitsFor({ source }: Content): ScanLimits {
    return {
      ...memberLimits(this.#limits, source.size, this.#maxima),
      maxMemberBytes: this.#maxMemberBytes(),
    };
  }

  /**
   * The most bytes of a member that may be unpacked. Its containers are in memory as well, and together
   * they may take as much as two members of maximum size.
   */
  #maxMemberBytes(): number {
    const { maxMemberBytes } = this.#limits;
    return Math.max(0, Math.min(maxMemberBytes, 2 * maxMemberBytes - this.#heldBytes));
  }

  #scanMember(member: Content, outer: Segments, scanner: string): void {
    const limit = this.#limitReached(member.depth);
    if (limit !== undefined) return this.#emitOnce(scanner, outer, limit);
    this.#members++;
    const segments = [...outer, truncate(member.name, MAX_NAME_CHARS)];
    try {
      const source = withCheckpoint(member.source, this.#checkpoint);
      const kind = detectKind(source);
      const matching = this.#scan({ ...member, source }, segments, kind);
      if (matching.length === 0 && (scanner === COMPRESSED || isModelName(member.name))) {
        this.#emit(ENGINE, segments, engineChecks.noScanner(member, kind));
      }
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
    const granted = Math.min(Math.max(0, Math.floor(bytes) || 0), this.#unpackedLeft);
    this.#unpackedLeft -= granted;
    return granted;
  }

  #emitOnce(scanner: string, segments: Segments, check: Check): void {
    if (!this.#emittedOnce.has(check.name)) this.#emit(scanner, segments, check);
    this.#emittedOnce.add(check.name);
  }

  #emit(scanner: string, segments: Segments, check: Check): void {
    this.#log.add(scanner, segments.map((it) => `:${it}`).join(""), check);
  }
}
