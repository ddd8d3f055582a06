/** What a scanner makes of files, for people. */
export interface CatalogEntry {
  /** The files that it reads, if any. */
  readonly read?: string;
  /** The files that it only recognizes. They are inconclusive. */
  readonly recognized?: string;
  /** Whether the scanner runs only on request. @default {false} */
  readonly optional?: boolean;
}

/** The files of each scanner, by its id, in the order in which they run. docs/reference/scanning.md has the same. */
export const CATALOG: Readonly<Record<string, CatalogEntry>> = {
  pickle: { read: "pickles of protocols 0 to 5, several per file; PyTorch before 1.6; joblib" },
  joblib: { read: "joblib files of versions before 0.10" },
  pytorch_zip: { read: "PyTorch and TorchScript archives" },
  torchscript: { read: "code in TorchScript archives" },
  zip: { read: "all other ZIP files: .npz, .keras, .mar" },
  tar: { read: "TAR, including PyTorch 0.1" },
  compressed: { read: "gzip, zlib, Zstandard, bzip2, xz, LZMA, LZ4, Brotli, Blosc" },
  seven_zip: { read: "7z", recognized: "PPMd, BCJ2 and encrypted members" },
  unsupported_archive: { recognized: "RAR" },
  safetensors: { read: "safetensors" },
  gguf: { read: "GGUF versions 1 to 3 in both byte orders; the headers of legacy GGML" },
  numpy: { read: ".npy versions 1 to 3" },
  onnx: { read: "ONNX" },
  saved_model: { read: "SavedModel, MetaGraph, frozen graphs, Keras metadata" },
  hdf5: { read: "HDF5, including Keras .h5, PyTables and pandas" },
  keras: { read: "Keras configurations in JSON, such as config.json in .keras" },
  coreml: { read: "Core ML: .mlmodel, also in packages" },
  tflite: { read: "TensorFlow Lite" },
  executorch: { read: "ExecuTorch: .pte" },
  flax_msgpack: { read: "MessagePack, as Flax and JAX write it" },
  torch7: { read: "Torch7: .t7, .th", recognized: "its text format" },
  paddle: { read: "PaddlePaddle: .pdmodel, and the JSON of Paddle 3" },
  mxnet: { read: "MXNet: symbols and parameters", recognized: "sparse parameters" },
  caffe: { read: "Caffe: .caffemodel, .prototxt" },
  cntk: { read: "CNTK 2", recognized: "CNTK 1" },
  catboost: { read: "CatBoost: .cbm" },
  lightgbm: { read: "LightGBM" },
  xgboost: { read: "XGBoost in JSON and UBJSON", recognized: "its binary format before 1.0" },
  compiled: { recognized: "TensorRT engines, RKNN" },
  oci: { read: "manifests and indexes of OCI, Docker and Ollama" },
  skops: { read: "schema.json of skops files" },
  rdata: { read: ".rds and .rda of R" },
  sqlite: { read: "SQLite databases, as caches and shelves of Python" },
  arrow: { read: "the schemas of Arrow, Feather 2 and Parquet" },
  jinja: { read: ".jinja, .jinja2, .j2" },
  manifest: { read: "JSON, YAML, TOML" },
  text: { read: "model cards, licenses and other text; scripts" },
  xml_model: { read: "OpenVINO, PMML and other XML" },
  git_lfs_pointer: { read: "Git LFS pointers" },
  self_extracting: { read: "scripts with an archive or other data after them" },
  executable: { read: "PE, ELF, Mach-O, WebAssembly" },
  python_bytecode: { read: "compiled Python: .pyc, and code objects by themselves" },
  llamafile: { read: "llamafiles" },
  weights: {
    read: "safetensors, PyTorch archives, NumPy, GGUF; only with --weights",
    optional: true,
  },
};

/** Formats that no scanner knows. Files are hashed, listed and reported as not scanned. */
export const UNKNOWN_FORMATS: readonly string[] = [
  "Orbax checkpoints",
  "PaddlePaddle .pdiparams",
  "all others that are not listed",
];
