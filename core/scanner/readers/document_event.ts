import type { Severity } from "../contract/severity.ts";
import { MIB } from "../../../schemas/units.ts";

/** A scalar, a key or a comment of a manifest. */
export interface DocumentEntry {
  readonly kind: "value" | "key" | "comment";
  /**
   * The keys from the root to here, the own one last. It changes as the reader goes on: what is kept of
   * it is copied.
   */
  readonly path: readonly string[];
  /** The place in the list that the value stands in. */
  readonly index?: number;
  readonly value: string | number | boolean | null;
  /** In bytes. */
  readonly position: number;
}

/** A tag of YAML, in full, such as `tag:yaml.org,2002:python/name:os.system`. */
export interface YamlTag {
  readonly kind: "tag";
  readonly tag: string;
  readonly position: number;
}

/** What is wrong with the manifest's form. */
export interface Defect {
  readonly kind: "defect";
  readonly severity: Severity;
  readonly message: string;
  readonly position: number;
  /** As in a check: why not all of it was read. */
  readonly incomplete?: string;
  /** As in a check: a limit of ours is why. */
  readonly operational?: boolean;
}

/** What a reader of manifests tells, in the order of the file. */
export type DocumentEvent = DocumentEntry | YamlTag | Defect;

/** How much of a string is read, in bytes: a chat template is far shorter. */
export const MAX_STRING_BYTES = MIB;

/** How much of a key is kept for the path. */
export const MAX_KEY_CHARACTERS = 256;

/** How deep keys and lists may lie in each other: Python's parsers give up at about as many. */
export const MAX_NESTING = 1000;

/** A string that is longer than what is read of it. */
export function stringTooLong(position: number): Defect {
  return {
    kind: "defect",
    severity: "info",
    message: `A string is longer than ${MAX_STRING_BYTES} bytes; only its beginning was checked`,
    position,
    incomplete: "string_too_long",
    operational: true,
  };
}

/** Keys and lists that lie too deep in each other. */
export function nestingTooDeep(position: number): Defect {
  return {
    kind: "defect",
    severity: "warning",
    message:
      `Values lie in each other more than ${MAX_NESTING} deep; nothing after this was checked`,
    position,
    incomplete: "nesting_too_deep",
  };
}
