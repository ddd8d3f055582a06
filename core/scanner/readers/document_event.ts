import type { Severity } from "../contract/severity.ts";
import { formatBytes, MIB } from "../../../schemas/units.ts";

/** A scalar, key or comment of a document. */
export interface DocumentEntry {
  readonly kind: "value" | "key" | "comment";
  /**
   * The keys from the root to this entry, its own key last. The reader reuses the array, so copy it to
   * keep it.
   */
  readonly path: readonly string[];
  /** The index of the value, if it is an element of a list. */
  readonly index?: number;
  readonly value: string | number | boolean | null;
  /** Byte offset. */
  readonly position: number;
}

/** A resolved YAML tag, such as `tag:yaml.org,2002:python/name:os.system`. */
export interface YamlTag {
  readonly kind: "tag";
  readonly tag: string;
  /** Byte offset. */
  readonly position: number;
}

/** The aliases of a YAML document, counted at its end. */
export interface YamlAliases {
  readonly kind: "aliases";
  /** How many scalars the aliases yield when each of them is expanded. */
  readonly expandedScalars: number;
  readonly position: number;
}

/** A fault in the form of a document. */
export interface Defect {
  readonly kind: "defect";
  readonly severity: Severity;
  readonly message: string;
  /** Byte offset. */
  readonly position: number;
  /** Why part of the document was not read, as in a check. */
  readonly incomplete?: string;
  /** Whether a limit of this scanner caused the defect, as in a check. */
  readonly operational?: boolean;
}

/** What the JSON, YAML and TOML readers yield, in the order of the document. */
export type DocumentEvent = DocumentEntry | YamlTag | YamlAliases | Defect;

/** The readers keep this much of a string. Chat templates are far shorter. */
export const MAX_STRING_BYTES = MIB;

/** The readers keep this much of a key in the path. */
export const MAX_KEY_CHARACTERS = 256;

/** The maximum nesting of keys and lists. Python's parsers give up at a similar depth. */
export const MAX_NESTING_DEPTH = 1000;

/** The defect of a string that exceeds {@link MAX_STRING_BYTES}. */
export function stringTooLong(position: number): Defect {
  return {
    kind: "defect",
    severity: "info",
    message: `A string is longer than ${
      formatBytes(MAX_STRING_BYTES)
    }; only its beginning was checked`,
    position,
    incomplete: "string_too_long",
    operational: true,
  };
}

/** The defect of keys and lists that exceed {@link MAX_NESTING_DEPTH}. */
export function nestingTooDeep(position: number): Defect {
  return {
    kind: "defect",
    severity: "warning",
    message: `Values are nested more than ${MAX_NESTING_DEPTH} levels deep; ` +
      "nothing after this point was checked",
    position,
    incomplete: "nesting_too_deep",
    operational: true,
  };
}
