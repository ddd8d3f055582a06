import { ElementCounts } from "../tensors/element_counts.ts";
import type { TensorNames } from "../tensors/tensor_names.ts";
import type { ImportRecord } from "./findings.ts";
import { elementsOf } from "./joblib_arrays.ts";
import { storageType, type TorchStorage } from "./torch_storage.ts";
import { dictEntry, importPath, type PickleValue, type TextOf } from "./values.ts";

/** Frameworks by the root of the modules that a pickle imports. */
const FRAMEWORKS: ReadonlyMap<string, string> = new Map([
  ["torch", "pytorch"],
  ["torchvision", "pytorch"],
  ["pytorch_lightning", "lightning"],
  ["lightning", "lightning"],
  ["sklearn", "scikit-learn"],
  ["tensorflow", "tensorflow"],
  ["keras", "keras"],
  ["tf_keras", "keras"],
  ["jax", "jax"],
  ["jaxlib", "jax"],
  ["flax", "flax"],
  ["xgboost", "xgboost"],
  ["lightgbm", "lightgbm"],
  ["catboost", "catboost"],
  ["transformers", "transformers"],
  ["diffusers", "diffusers"],
  ["ultralytics", "ultralytics"],
  ["fastai", "fastai"],
  ["gensim", "gensim"],
  ["spacy", "spacy"],
  ["statsmodels", "statsmodels"],
  ["timm", "timm"],
]);

/** Libraries that data sets use as often as models. */
const LIBRARIES: ReadonlyMap<string, string> = new Map([
  ["numpy", "numpy"],
  ["scipy", "scipy"],
  ["pandas", "pandas"],
]);

/** Patterns that the paths of imports show. */
const PATTERNS: readonly (readonly [string, RegExp])[] = [
  ["tensors", /^torch\._utils\._rebuild_/],
  ["modules", /^torch\.nn\.modules\./],
  ["optimizer", /^torch\.optim\./],
  ["arrays", /^numpy\.(?:_?core|ma)\.|NumpyArrayWrapper$/],
  ["estimator", /^sklearn\.(?!utils\b)/],
  ["pipeline", /^sklearn\.pipeline\./],
  ["trees", /^sklearn\.(?:tree|ensemble)\.|^(?:xgboost|lightgbm|catboost)\./],
];

const HINTS: readonly (readonly [string, RegExp])[] = [
  ["quantization", /^torch\.(?:ao\.)?(?:nn\.)?quantiz|_rebuild_qtensor$|^torchao\./],
  ["sparsity", /_rebuild_sparse_tensor$|^scipy\.sparse\./],
  ["pruning", /^torch\.nn\.utils\.prune\./],
  ["low-rank adaptation", /^peft\./],
];

const LAYER = /^torch\.nn\.modules\.(?!container\b|module\b)/;
const ARRAY = /^numpy\.(?:_?core\.)multiarray\._reconstruct$/;
/** An array of protocol 5, made from a buffer by a call with buffer, type, shape and order. */
const BUFFER_ARRAY = /^numpy\.(?:_?core\.)numeric\._frombuffer$/;
const ARRAY_WRAPPER = /(?:^|\.)joblib\.numpy_pickle\.NumpyArrayWrapper$/;

/** Element types by NumPy's codes, without the byte order. */
const TYPE_CODES: ReadonlyMap<string, string> = new Map([
  ["f2", "float16"],
  ["f4", "float32"],
  ["f8", "float64"],
  ["i1", "int8"],
  ["i2", "int16"],
  ["i4", "int32"],
  ["i8", "int64"],
  ["u1", "uint8"],
  ["b1", "bool"],
]);

/** The ends of names that PyTorch gives to tensors in the state of a module. */
const TENSOR_NAME =
  /\.(?:q?weight|bias|scales|qzeros|running_mean|running_var|weight_[a-z]{1,8}|(?:weight|bias)_[ih]h_l\d)$/;

/** Whether a string is the name of a tensor, as in a PyTorch state. */
export function isTensorName(text: string): boolean {
  return TENSOR_NAME.test(text);
}

/** Counts the arrays in a pickle, when they are made or their states are set. */
export class ArrayCounts {
  readonly #counts = new ElementCounts();

  /** @param object The object that REDUCE has just made, or whose state BUILD has set. */
  add(object: PickleValue, textOf: TextOf): void {
    if (object.kind !== "call") return;
    const { callee, args: [first, type, shape], state } = object;
    const path = importPath(callee) ?? "";
    if (state !== undefined) this.#addBuilt(path, first, state, textOf);
    else if (BUFFER_ARRAY.test(path)) this.#count(shape, type, textOf);
  }

  #addBuilt(
    path: string,
    first: PickleValue | undefined,
    state: PickleValue,
    textOf: TextOf,
  ): void {
    const created = path.startsWith("copyreg.") && first !== undefined ? importPath(first) : path;
    const isWrapper = ARRAY_WRAPPER.test(created ?? "");
    if (!isWrapper && !ARRAY.test(path)) return;
    // The state of an array is a tuple of version, shape, type, order and data.
    const items = state.kind === "tuple" ? state.items : [];
    const shape = isWrapper ? dictEntry(state, "shape", textOf) : items[1];
    const dtype = isWrapper ? dictEntry(state, "dtype", textOf) : items[2];
    this.#count(shape, dtype, textOf);
  }

  #count(shape: PickleValue | undefined, dtype: PickleValue | undefined, textOf: TextOf): void {
    const elements = elementsOf(shape);
    const type = typeOf(dtype, textOf);
    if (type === undefined || !Number.isSafeInteger(elements)) return;
    this.#counts.add(type, BigInt(elements ?? 0));
  }

  get counts(): ElementCounts {
    return this.#counts;
  }
}

function typeOf(dtype: PickleValue | undefined, textOf: TextOf): string | undefined {
  const [code] = dtype?.kind === "call" ? dtype.args : [];
  return code === undefined ? undefined : TYPE_CODES.get(textOf(code) ?? "");
}

/** What a pickle is known to have. */
interface PickleParts {
  readonly imports: Iterable<ImportRecord>;
  readonly storages: Iterable<TorchStorage>;
  readonly arrays: ArrayCounts;
  readonly names: TensorNames;
}

/** `ml_context` of a pickle (SR 2.8); undefined if nothing in it has to do with machine learning. */
export function mlContextOf(
  { imports, storages, arrays, names }: PickleParts,
): Readonly<Record<string, unknown>> | undefined {
  const records = [...imports];
  const frameworks = frameworksIn(records);
  const counts = arrays.counts;
  for (const storage of storages) counts.add(storageType(storage), BigInt(storage.elements));
  if (frameworks.size === 0) return undefined;
  const paths = records.map(({ path }) => path);
  const [trained] = [...frameworks.values()].filter(({ confidence }) => confidence === 1);
  const modules = records.reduce(
    (sum, { path, pushed }) => sum + (LAYER.test(path) ? pushed : 0),
    0,
  );
  const named = names.facts(counts.types);
  const layers = modules || (named.layer_count_estimate ?? 0);
  const hints = new Set([...matching(HINTS, paths), ...named.optimization_hints ?? []]);
  const modelType = trained === undefined ? undefined : modelClass(records);
  return {
    frameworks: Object.fromEntries(frameworks),
    overall_confidence: trained?.confidence ?? 0.5,
    is_ml_content: true,
    detected_patterns: [...matching(PATTERNS, paths), ...named.detected_patterns ?? []],
    optimization_hints: [...hints].sort(),
    ...[...counts.types].length > 0 && counts.facts,
    ...trained !== undefined && { training_framework: trained.name },
    ...modelType !== undefined && { model_type: modelType },
    ...layers > 0 && { layer_count_estimate: layers },
  };
}

interface Framework {
  readonly name: string;
  readonly confidence: number;
  readonly indicators: string[];
}

/** Paths that a framework lists as its indicators. */
const MAX_INDICATORS = 5;

function frameworksIn(records: readonly ImportRecord[]): Map<string, Framework> {
  const found = new Map<string, Framework>();
  for (const { path } of records) {
    const root = path.split(".", 1)[0] ?? "";
    const name = FRAMEWORKS.get(root) ?? LIBRARIES.get(root);
    if (name === undefined) continue;
    const confidence = FRAMEWORKS.has(root) ? 1 : 0.5;
    const framework = found.get(name) ?? { name, confidence, indicators: [] };
    if (framework.indicators.length < MAX_INDICATORS) framework.indicators.push(path.slice(0, 100));
    found.set(name, framework);
  }
  return found;
}

/** The first class of a framework that a pickle imports is that of its outermost object. */
function modelClass(records: readonly ImportRecord[]): string | undefined {
  for (const { path, called } of records) {
    const name = path.slice(path.lastIndexOf(".") + 1);
    const isClass = /^[A-Z]\w{0,99}$/.test(name) &&
      !/Storage$|^(?:Tensor|Size|Parameter)$/.test(name);
    if (called && isClass && FRAMEWORKS.has(path.split(".", 1)[0] ?? "")) return name;
  }
  return undefined;
}

function matching(
  rows: readonly (readonly [string, RegExp])[],
  paths: readonly string[],
): string[] {
  return rows.filter(([, pattern]) => paths.some((path) => pattern.test(path))).map(([name]) =>
    name
  );
}
