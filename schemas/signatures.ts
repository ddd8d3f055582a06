import * as v from "valibot";

/** The name of the bundle that signs the directory it is in. */
export const BUNDLE_NAME = "model.sig";

/** What is known of the signature on a file or a directory (C 29). */
export const SIGNATURE_STATES = ["signed", "invalid", "unsigned"] as const;
export type SignatureState = typeof SIGNATURE_STATES[number];

const text = (description: string) => v.optional(v.pipe(v.string(), v.description(description)));

/** The signature on a file or a directory, as callers receive it (C 29). */
export const SignatureOutcome = v.object({
  state: v.pipe(
    v.picklist(SIGNATURE_STATES),
    v.description("`unsigned` if there is no bundle, or its signer has left the file out"),
  ),
  signer: text("The trusted key or root whose signature it is, by its name in `strongroom.toml`"),
  identity: text("Whom the certificate of the signer names"),
  reason: text("Why it is invalid"),
});
export type SignatureOutcome = Readonly<v.InferOutput<typeof SignatureOutcome>>;

export const SIGNATURE_PROBLEMS = ["changed", "missing", "added"] as const;
export type SignatureProblem = typeof SIGNATURE_PROBLEMS[number];

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** The signature on a directory with all below it, compared file by file (C 29). */
export const SignatureEntry = v.object({
  path: v.string(),
  is_dir: v.boolean(),
  signature: SignatureOutcome,
  bundle: v.pipe(v.nullable(v.string()), v.description("The path of the bundle that is about it")),
  files: v.pipe(count, v.description("How many files are as they were signed")),
  left_out: v.pipe(count, v.description("How many files the signer has left out")),
  problems: v.pipe(
    v.array(v.object({ path: v.string(), problem: v.picklist(SIGNATURE_PROBLEMS) })),
    v.description("The files that are not as they were signed: the first 1000"),
  ),
});
export type SignatureEntry = v.InferOutput<typeof SignatureEntry>;
