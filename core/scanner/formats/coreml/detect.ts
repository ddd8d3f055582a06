import type { Content } from "../../contract/scanner.ts";
import { ProtobufReader } from "../../readers/protobuf/protobuf_reader.ts";

/** Fields read to recognize a model: it has few at the top. */
const MAX_FIELDS = 16;
/** Real versions are at most about 10. */
const MAX_VERSION = 100n;

const VERSION = 1;
const DESCRIPTION = 2;
const UPDATABLE = 10;

/** The kinds of models, by the number of the field that holds one. */
export const KINDS: ReadonlyMap<number, string> = new Map([
  [200, "pipelineClassifier"],
  [201, "pipelineRegressor"],
  [202, "pipeline"],
  [300, "glmRegressor"],
  [301, "supportVectorRegressor"],
  [302, "treeEnsembleRegressor"],
  [303, "neuralNetworkRegressor"],
  [304, "bayesianProbitRegressor"],
  [400, "glmClassifier"],
  [401, "supportVectorClassifier"],
  [402, "treeEnsembleClassifier"],
  [403, "neuralNetworkClassifier"],
  [404, "kNearestNeighborsClassifier"],
  [500, "neuralNetwork"],
  [501, "itemSimilarityRecommender"],
  [502, "mlProgram"],
  [555, "customModel"],
  [556, "linkedModel"],
  [560, "classConfidenceThresholding"],
  [600, "oneHotEncoder"],
  [601, "imputer"],
  [602, "featureVectorizer"],
  [603, "dictVectorizer"],
  [604, "scaler"],
  [606, "categoricalMapping"],
  [607, "normalizer"],
  [609, "arrayFeatureExtractor"],
  [610, "nonMaximumSuppression"],
  [900, "identity"],
  [2000, "textClassifier"],
  [2001, "wordTagger"],
  [2002, "visionFeaturePrint"],
  [2003, "soundAnalysisPreprocessing"],
  [2004, "gazetteer"],
  [2005, "wordEmbedding"],
  [2006, "audioFeaturePrint"],
  [3000, "serializedModel"],
]);

/**
 * Whether content is a Core ML model, by its name or its structure. The format has no signature, so the
 * message must have the version and one kind of model, and no field that a model does not have.
 */
export function isCoreMl({ source, name }: Content): boolean {
  if (/\.mlmodel$/i.test(name)) return source.size > 0;
  // The version comes first, and the description next.
  const [tag, version = 0, next] = source.read(0, 3);
  if (tag !== 0x08 || version === 0 || version > MAX_VERSION || next !== 0x12) return false;
  const reader = new ProtobufReader(source, MAX_FIELDS);
  let models = 0;
  for (const field of reader.fields(reader.root)) {
    if (KINDS.has(field.number) && field.kind === "bytes") models++;
    else if (![VERSION, DESCRIPTION, UPDATABLE].includes(field.number)) return false;
  }
  return models === 1 && reader.faults.size === 0;
}
