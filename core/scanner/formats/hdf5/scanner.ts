import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import { pathEscape } from "../../knowledge/file_reference.ts";
import { Checklist, type NamedFinding } from "../../contract/checklist.ts";
import { SecretSearch } from "../../knowledge/secrets/secret_search.ts";
import { decodeLatin1 } from "../../readers/bytes/bytes.ts";
import { KIB } from "../../../../schemas/units.ts";
import { Hdf5Error } from "../../readers/hdf5/cursor.ts";
import { findJsonTexts } from "../../readers/json/find_json_texts.ts";
import { findSignature, readSuperblock } from "../../readers/hdf5/superblock.ts";
import { type ExternalReference, type Hdf5Contents, walkHdf5 } from "../../readers/hdf5/walk.ts";
import type { Hdf5Fault, Hdf5Wanted } from "../../readers/hdf5/wanted.ts";
import { KERAS_PASSED } from "../keras/checks.ts";
import { type ConfigFacts, configFacts, configMetadata, inspectConfig } from "../keras/config.ts";
import { decodeJson } from "../keras/text.ts";
import { chunkedPickle } from "./chunked_bytes.ts";
import { isActivePickle } from "../pickle/detect.ts";
import { modelMetadata } from "../model/metadata.ts";
import { ElementCounts } from "../tensors/element_counts.ts";
import type { Check, Content, ScanContext, Scanner } from "../../contract/scanner.ts";
import type { ByteSource } from "../../contract/source.ts";
import { trimEnd } from "../../readers/text/trim_end.ts";

const STRUCTURE = "HDF5 Structure";
const EXTERNAL_REFERENCE = "HDF5 External Reference";
const CREDENTIAL = "Credential";

const PASSED = {
  [STRUCTURE]: "All objects in the file were read",
  [EXTERNAL_REFERENCE]: "No object refers to another file",
  [CREDENTIAL]: "No attribute contains a credential",
};

/** Bytes of a value that are searched for credentials. */
const MAX_SEARCHED_BYTES = 64 * KIB;

/** Attributes in which Keras stores its configurations. */
const CONFIGS = ["model_config", "training_config"];
const VERSION = "keras_version";
/** A key that every configuration has. Used to find configurations in raw bytes. */
const KERAS_CLASS_KEY = '"class_name"';
/** How Keras names files of weights without a configuration. */
const WEIGHTS_NAME = /\.weights\.h5$/;
const REQUESTED_ATTRIBUTES: ReadonlySet<string> = new Set([...CONFIGS, VERSION, "backend"]);

/** Checks HDF5 files, the format of models and weights of Keras. */
export const hdf5Scanner: Scanner = {
  id: "hdf5",
  matches: ({ source }) => findSignature(source) !== undefined,
  *scan({ source, name }: Content, context: ScanContext): Generator<Check, void, void> {
    const checks = new Checklist<string>(PASSED);
    const texts = new SecretSearch("An attribute", (finding) => checks.add(CREDENTIAL, finding));
    const numbers = new ElementCounts();
    const contents = readContents(source, {
      onBytes({ name, source, position }) {
        if (isActivePickle(source)) context.scanMember(name, source);
        texts.add(decodeLatin1(source.read(0, MAX_SEARCHED_BYTES)), position, name);
      },
      onChunks(value) {
        const content = chunkedPickle(value, context);
        if (content) context.scanMember(value.name, content);
        return content !== null;
      },
      onNumbers: (type, elements, bytes) => numbers.add(type, BigInt(elements), BigInt(bytes)),
    });
    texts.finish();
    checks.addAll(checkContents(contents));
    yield* checks.finish();
    context.addFacts({ format: "hdf5", ...numbers.tensorFacts });
    const isKeras = yield* checkConfigs(source, contents, context);
    if (isKeras) context.addMetadata({ ml_context: numbers.facts });
    else if (WEIGHTS_NAME.test(name)) context.addMetadata(weightsMetadata(numbers));
  },
};

/** What is known of a file that has the weights of a Keras model, and no configuration. */
function weightsMetadata({ facts }: ElementCounts): Readonly<Record<string, unknown>> {
  return modelMetadata({ framework: "keras", indicator: "name of Keras weights", context: facts });
}

function readContents(
  source: ByteSource,
  wanted: Omit<Hdf5Wanted, "attributes">,
): Hdf5Contents {
  const base = findSignature(source);
  if (base === undefined) return unreadable(0);
  try {
    return walkHdf5(readSuperblock(source, base), { attributes: REQUESTED_ATTRIBUTES, ...wanted });
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

const MESSAGES: Readonly<Record<Hdf5Fault, string>> = {
  malformed_hdf5: "An object in the file is malformed",
  hdf5_dense_attributes: "Attributes in dense storage are not read",
  hdf5_dense_links: "Links in dense storage are not read",
  hdf5_shared_message: "A message that objects share was not read",
  hdf5_chunks: "The chunks of a dataset were not read",
  hdf5_object_limit: "The file has too many objects to read",
  hdf5_read_limit: "The objects in the file take too many reads",
  hdf5_text_limit: "An attribute is too long to read",
};

const LIMIT_FAULTS: ReadonlySet<Hdf5Fault> = new Set([
  "hdf5_object_limit",
  "hdf5_read_limit",
  "hdf5_text_limit",
]);

function* checkContents({ faults, external }: Hdf5Contents): Generator<NamedFinding, void, void> {
  for (const [fault, position] of faults) {
    yield {
      name: STRUCTURE,
      severity: "info",
      message: MESSAGES[fault],
      position,
      ruleCode: "S902",
      incomplete: fault,
      ...(LIMIT_FAULTS.has(fault) && { operational: true }),
    };
  }
  for (const reference of external) yield checkReference(reference);
}

function checkReference({ kind, file, position }: ExternalReference): NamedFinding {
  const danger = file === undefined ? undefined : pathEscape(file);
  const shown = file === undefined ? "" : `: ${quotedExcerpt(file)}`;
  return {
    name: EXTERNAL_REFERENCE,
    severity: danger === undefined ? "warning" : "critical",
    message: `A ${kind} refers to ${danger ?? "another file"}${shown}`,
    position,
    ruleCode: danger === undefined ? "S902" : "S405",
    why: "A program that opens the object reads the other file",
  };
}

/** Faults that can hide a configuration. After one, the raw bytes are searched for configurations. */
const HIDING_FAULTS: readonly Hdf5Fault[] = [
  "malformed_hdf5",
  "hdf5_dense_attributes",
  "hdf5_shared_message",
  "hdf5_object_limit",
  "hdf5_read_limit",
];

/** Returns whether the file has a configuration of Keras. */
function* checkConfigs(
  source: ByteSource,
  { texts, faults }: Hdf5Contents,
  context: ScanContext,
): Generator<Check, boolean, void> {
  const checks = new Checklist(KERAS_PASSED);
  const version = texts.get(VERSION);
  const kerasVersion = version && excerpt(decodeText(version));
  const configs = CONFIGS.flatMap((name) => texts.get(name) ?? []);
  if (HIDING_FAULTS.some((fault) => faults.has(fault))) {
    for (const { bytes } of findJsonTexts(source, KERAS_CLASS_KEY)) configs.push(bytes);
  }
  let first: ConfigFacts | undefined;
  for (const config of configs) {
    const origin = { kind: "h5", kerasVersion } as const;
    const facts = inspectConfig(decodeText(config), origin, checks, context);
    if (facts?.isKeras) first ??= facts;
  }
  if (first !== undefined) {
    context.addMetadata(configMetadata(first));
    context.addFacts(configFacts(first));
  } else if (kerasVersion !== undefined) {
    context.addMetadata({ is_model: true, keras_version: kerasVersion });
  }
  if (configs.length > 0) yield* checks.finish();
  return first !== undefined;
}

/** Decodes a string without the zeros that pad it to a fixed length. */
function decodeText(bytes: Uint8Array): string {
  return trimEnd(decodeJson(bytes), /\0/);
}
