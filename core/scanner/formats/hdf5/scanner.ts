import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import { leadsOut } from "../../knowledge/file_reference.ts";
import { Checklist, type NamedFinding } from "../../contract/checklist.ts";
import { Hdf5Error } from "../../readers/hdf5/cursor.ts";
import { findJsonTexts } from "../../readers/json/find_json_texts.ts";
import { findSignature, readSuperblock } from "../../readers/hdf5/superblock.ts";
import {
  type ExternalReference,
  type Hdf5Contents,
  type Hdf5Fault,
  walkHdf5,
} from "../../readers/hdf5/walk.ts";
import { KERAS_PASSED } from "../keras/checks.ts";
import { type ConfigFacts, configNotes, inspectConfig } from "../keras/config.ts";
import { decodeJson } from "../keras/text.ts";
import type { Check, Content, ScanContext, Scanner } from "../../contract/scanner.ts";
import type { ByteSource } from "../../contract/source.ts";

const STRUCTURE = "HDF5 Structure";
const EXTERNAL_REFERENCE = "HDF5 External Reference";

const PASSED = {
  [STRUCTURE]: "All objects of the file were read",
  [EXTERNAL_REFERENCE]: "Nothing in the file refers to another file",
};

/** Attributes of the models that Keras writes, and of their weights. */
const CONFIGS = ["model_config", "training_config"];
const VERSION = "keras_version";
/** A key of every configuration, which finds one among raw bytes. */
const KERAS_CLASS_KEY = '"class_name"';
const WANTED: ReadonlySet<string> = new Set([...CONFIGS, VERSION, "backend"]);

/** Files of HDF5, as Keras writes models and weights. */
export const hdf5Scanner: Scanner = {
  id: "hdf5",
  matches: ({ source }) => findSignature(source) !== undefined,
  *scan({ source }: Content, context: ScanContext): Generator<Check, void, void> {
    const checks = new Checklist<string>(PASSED);
    const contents = read(source);
    checks.addAll(checkContents(contents));
    yield* checks.finish();
    yield* checkConfigs(source, contents, context);
  },
};

function read(source: ByteSource): Hdf5Contents {
  const base = findSignature(source);
  if (base === undefined) return unreadable(0);
  try {
    return walkHdf5(readSuperblock(source, base), WANTED);
  } catch (error) {
    if (!(error instanceof Hdf5Error)) throw error;
    return unreadable(base);
  }
}

function unreadable(position: number): Hdf5Contents {
  return {
    texts: new Map(),
    external: [],
    faults: new Map([["malformed_hdf5", position]]),
    objects: 0,
  };
}

const SAID: Readonly<Record<Hdf5Fault, string>> = {
  malformed_hdf5: "An object of the file can't be read",
  hdf5_dense_attributes: "Attributes are in a heap that is not read",
  hdf5_dense_links: "Links are in a heap that is not read",
  hdf5_shared_message: "An attribute is shared, and was not read",
  hdf5_object_limit: "The file has more objects than are read of one",
  hdf5_read_limit: "The objects of the file take more reading than is done for one",
  hdf5_text_limit: "An attribute is longer than what is read of one",
};

const LIMITS: ReadonlySet<Hdf5Fault> = new Set([
  "hdf5_object_limit",
  "hdf5_read_limit",
  "hdf5_text_limit",
]);

function* checkContents({ faults, external }: Hdf5Contents): Generator<NamedFinding, void, void> {
  for (const [fault, position] of faults) {
    yield {
      name: STRUCTURE,
      severity: "info",
      message: SAID[fault],
      position,
      ruleCode: "S902",
      incomplete: fault,
      ...(LIMITS.has(fault) && { operational: true }),
    };
  }
  for (const reference of external) yield checkReference(reference);
}

function checkReference({ kind, file, position }: ExternalReference): NamedFinding {
  const danger = file === undefined ? undefined : leadsOut(file);
  const told = file === undefined ? "" : `: ${quotedExcerpt(file)}`;
  return {
    name: EXTERNAL_REFERENCE,
    severity: danger === undefined ? "warning" : "critical",
    message: `A ${kind} refers to ${danger ?? "another file"}${told}`,
    position,
    ruleCode: danger === undefined ? "S902" : "S405",
    why: "A program that reads the dataset reads the other file instead",
  };
}

/** Faults behind which a configuration may lie that was not found. */
const HIDING: readonly Hdf5Fault[] = [
  "malformed_hdf5",
  "hdf5_dense_attributes",
  "hdf5_shared_message",
  "hdf5_object_limit",
  "hdf5_read_limit",
];

function* checkConfigs(
  source: ByteSource,
  { texts, faults }: Hdf5Contents,
  context: ScanContext,
): Generator<Check, void, void> {
  const checks = new Checklist(KERAS_PASSED);
  const version = texts.get(VERSION);
  const kerasVersion = version && excerpt(decodeText(version));
  const configs = CONFIGS.flatMap((name) => texts.get(name) ?? []);
  if (HIDING.some((fault) => faults.has(fault))) {
    for (const { bytes } of findJsonTexts(source, KERAS_CLASS_KEY)) configs.push(bytes);
  }
  let first: ConfigFacts | undefined;
  for (const config of configs) {
    const origin = { kind: "h5", kerasVersion } as const;
    const facts = inspectConfig(decodeText(config), origin, checks, context);
    if (facts?.isKeras) first ??= facts;
  }
  if (first !== undefined) context.addMetadata(configNotes(first));
  else if (kerasVersion !== undefined) {
    context.addMetadata({ is_model: true, keras_version: kerasVersion });
  }
  if (configs.length > 0) yield* checks.finish();
}

/** A text of fixed length may be filled up with zeros. */
function decodeText(bytes: Uint8Array): string {
  return decodeJson(bytes).replace(/\0+$/, "");
}
