import type { SignatureOutcome } from "../../schemas/signatures.ts";
import type { RecordLookup } from "../ports.ts";
import type { BundleOutcome } from "./bundle_cache.ts";

/** A file whose signature is asked for. */
export interface SignableFile {
  /** Whose tree it is in. */
  readonly userId: number;
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** Of its content, in lower-case hex; null if that is not known yet. */
  readonly sha256: string | null;
}

/** A bundle in a tree, with what it says. */
export interface TreeBundle {
  readonly path: string;
  /** The directory that it is about. */
  readonly directory: string;
  readonly outcome: BundleOutcome;
}

/** Finds the signatures on files of a tree (C 29). */
export interface FindSignatures {
  /** Whether anybody is trusted. Otherwise, no signature is looked at. */
  readonly isOn: boolean;
  /** The signatures on files, in their order. */
  of(files: readonly SignableFile[]): Promise<SignatureOutcome[]>;
  /** The bundle that is about each of some directories, if there is one. */
  bundles(
    userId: number,
    directories: readonly string[],
  ): Promise<ReadonlyMap<string, TreeBundle>>;
  /** Those of a tree as other records have it. */
  at(records: RecordLookup): FindSignatures;
}
