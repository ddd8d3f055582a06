import type { SignatureOutcome } from "../../schemas/signatures.ts";
import { SCANNER_IDS } from "../scanner/mod.ts";
import type { ContentVerdict } from "../verdicts.ts";
import type { Facts, JudgedVerdict } from "./policy.ts";

/** A file of a tree, as far as it is known. */
export interface TreeFile {
  /** Whose tree it is in. */
  readonly userId: number;
  readonly path: string;
  /** In bytes. @default it is not known yet */
  readonly size?: number | undefined;
  /** What is known of its content. @default nothing yet */
  readonly content?: ContentVerdict | undefined;
  /** @default it is not known yet */
  readonly signature?: SignatureOutcome | undefined;
}

/** What a tree says of a file (C 28). */
export function treeFacts({ path, size, content, signature }: Omit<TreeFile, "userId">): Facts {
  return {
    ...placeOf(path),
    size,
    ...(content && contentFacts(content)),
    ...(signature && signatureFacts(signature)),
  };
}

/** What is known of a signature. One that is invalid is nobody's. */
export function signatureFacts(
  { state, signer }: SignatureOutcome,
): Pick<Facts, "signature" | "signedBy"> {
  return { signature: state, signedBy: state === "signed" ? signer : null };
}

/** What a scan says of content. */
export function contentFacts(content: ContentVerdict): Pick<Facts, "verdict" | "format"> {
  return { verdict: judgedVerdict(content), format: formatOf(content) };
}

/**
 * The repository that a path is in: `models/ns/name/file`, of a branch `models/ns/name@b/file`, and for what is mirrored
 * `models/name@<commit id>/file`, as other hubs have repositories without a namespace.
 */
function placeOf(path: string): Pick<Facts, "repository" | "kind" | "file"> {
  const [directory = "", first = "", second = "", ...rest] = path.split("/");
  const kind = KINDS.get(directory);
  const [, alone] = /^(.+)@[0-9a-f]{40}$/.exec(first) ?? [];
  if (kind !== undefined && alone !== undefined && second !== "") {
    return { repository: alone, kind, file: [second, ...rest].join("/") };
  }
  if (kind === undefined || rest.length === 0) {
    return { repository: null, kind: "file", file: path };
  }
  return { repository: `${first}/${second.split("@", 1)[0] ?? ""}`, kind, file: rest.join("/") };
}

const KINDS: ReadonlyMap<string, Facts["kind"]> = new Map([
  ["models", "model"],
  ["datasets", "dataset"],
]);

/** A waiver stands for a clean verdict. Undefined as long as there is none. */
function judgedVerdict({ verdict, waiver }: ContentVerdict): JudgedVerdict | undefined {
  if (waiver !== null) return "clean";
  return verdict === "unscanned" || verdict === "pending" ? undefined : verdict;
}

/** The format that scanners read. Undefined as long as none has looked at it. */
function formatOf({ verdict, format }: ContentVerdict): string | undefined {
  if (verdict === "failed") return "unknown";
  if (format === null) return undefined;
  return SCANNER_IDS.includes(format) ? format : "unknown";
}
