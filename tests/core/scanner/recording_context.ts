import type {
  AssetParts,
  ScanContext,
  ScanLimits,
} from "../../../core/scanner/contract/scanner.ts";
import type { Facts } from "../../../schemas/facts.ts";
import type { ByteSource } from "../../../core/scanner/contract/source.ts";

export const LIMITS: ScanLimits = {
  maxDepth: 5,
  maxMembers: 10_000,
  maxMemberBytes: 64 * 2 ** 20,
  maxUnpackedBytes: 2 ** 30,
  maxOpcodes: 1_000_000,
  maxValueBytes: 128 * 2 ** 20,
};

/** A context that records what a scanner reports, and does not scan members. */
export class RecordingContext implements ScanContext {
  readonly facts: Record<string, unknown> = {};
  /** What the content says of itself (C 29). */
  readonly said: Facts[] = [];
  readonly assets: AssetParts[] = [];
  readonly members: { readonly name: string; readonly source: ByteSource }[] = [];
  #unpackedLeft: number;

  constructor(readonly limits = LIMITS) {
    this.#unpackedLeft = limits.maxUnpackedBytes;
  }

  addMetadata(facts: Readonly<Record<string, unknown>>): void {
    Object.assign(this.facts, facts);
  }

  addFacts(facts: Facts): void {
    this.said.push(facts);
  }

  addAssetParts(parts: AssetParts): void {
    this.assets.push(parts);
  }

  scanMember(name: string, source: ByteSource): void {
    this.members.push({ name, source });
  }

  reserveUnpacked(bytes: number): number {
    const taken = Math.min(bytes, this.#unpackedLeft);
    this.#unpackedLeft -= taken;
    return taken;
  }
}
