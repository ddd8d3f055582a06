import * as v from "valibot";
import { createHash } from "node:crypto";
import { InvalidSignature } from "./trusted.ts";

const STATEMENT = "https://in-toto.io/Statement/v1";
const PREDICATE = "https://model_signing/signature/v1.0";
const SHA256 = /^[0-9a-f]{64}$/;

/** A file as it was signed. */
export interface SignedFile {
  /** In lower-case hex; undefined if it was signed by digests that are not kept of content. */
  readonly sha256: string | undefined;
  /** In bytes, if that was signed. */
  readonly size?: number | undefined;
}

/** What somebody has signed: the files of a directory (C 29). */
export interface Manifest {
  /** By their paths below the directory. */
  readonly files: ReadonlyMap<string, SignedFile>;
  /** The paths of files and directories that the signer has left out. */
  readonly leftOut: ReadonlySet<string>;
}

const Statement = v.object({
  _type: v.literal(STATEMENT),
  predicateType: v.literal(PREDICATE),
  subject: v.tuple([
    v.object({ digest: v.object({ sha256: v.pipe(v.string(), v.regex(SHA256)) }) }),
  ]),
  predicate: v.object({
    serialization: v.object({
      method: v.picklist(["files", "shards"]),
      ignore_paths: v.optional(v.array(v.string()), []),
    }),
    resources: v.array(v.object({
      name: v.string(),
      algorithm: v.string(),
      digest: v.pipe(v.string(), v.regex(/^(?:[0-9a-f]{2})+$/)),
    })),
  }),
});
type Statement = v.InferOutput<typeof Statement>;

/**
 * Reads a statement of OpenSSF Model Signing 1.0, whose signature was verified.
 *
 * @throws {InvalidSignature} when it is none, or contradicts itself.
 */
export function parseManifest(statement: Uint8Array): Manifest {
  const { subject: [{ digest }], predicate } = parsed(statement);
  const { serialization: { method, ignore_paths: leftOut }, resources } = predicate;
  const all = createHash("sha256");
  for (const resource of resources) all.update(resource.digest, "hex");
  if (all.digest("hex") !== digest.sha256) {
    throw new InvalidSignature("what it says of all files together is not what it says of each");
  }
  const files = new Map<string, SignedFile>();
  for (const resource of resources) {
    const [path, file] = method === "files" ? fileIn(resource) : partIn(resource);
    const former = files.get(path);
    if (former !== undefined && method === "files") {
      throw new InvalidSignature("it says two things of one file");
    }
    // Digests of parts are not kept: a file that has several cannot be compared.
    files.set(path, former === undefined ? file : { sha256: undefined });
  }
  return { files, leftOut: new Set(leftOut) };
}

type Resource = Statement["predicate"]["resources"][number];

function fileIn({ name, algorithm, digest }: Resource): readonly [string, SignedFile] {
  return [name, { sha256: keptDigest(algorithm, digest) }];
}

/** A part of a file, `path:start:end`. One that begins at 0 is the whole file if that has its size. */
function partIn({ name, algorithm, digest }: Resource): readonly [string, SignedFile] {
  const [, path, start, end] = /^([^:]*):(\d{1,15}):(\d{1,15})$/.exec(name) ?? [];
  if (path === undefined) throw new InvalidSignature("a part of a file that it names is none");
  const digested = algorithm.replace(/-sharded-\d+$/, "");
  const sha256 = start === "0" ? keptDigest(digested, digest) : undefined;
  return [path, { sha256, size: Number(end) }];
}

function keptDigest(algorithm: string, digest: string): string | undefined {
  return algorithm === "sha256" && SHA256.test(digest) ? digest : undefined;
}

function parsed(statement: Uint8Array): Statement {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(statement));
  } catch (cause) {
    throw new InvalidSignature("what it signs is no statement", { cause });
  }
  const found = v.safeParse(Statement, value);
  if (found.success) return found.output;
  const type = v.is(v.object({ predicateType: v.string() }), value) ? value.predicateType : "";
  throw new InvalidSignature(
    type === PREDICATE ? "what it signs is no list of files" : "what it signs is no model",
  );
}
