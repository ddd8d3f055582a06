import type { Severity } from "../../contract/severity.ts";

/** Operations that run Python or programs, or that read or write arbitrary files. */
const CRITICAL_OPERATIONS = new Set(
  `
  PyFunc PyFuncStateless EagerPyFunc PyCall ShellExecute ExecuteOp SystemConfig LoadLibrary
  LoadLibraryV2 ReadFile WriteFile DatasetToTFRecord ExperimentalDatasetToTFRecord
`.trim().split(/\s+/),
);

/** Operations that access files, the network or foreign memory. */
const SUSPICIOUS_OPERATIONS = new Set(
  `
  MatchingFiles LoadAndRemapMatrix ImmutableConst Abort CreateSummaryFileWriter CreateSummaryDbWriter
  Rpc TryRpc RegisterDataset RegisterDatasetV2 DataServiceDataset DataServiceDatasetV2
  DataServiceDatasetV3 DataServiceDatasetV4 SqlDataset ExperimentalSqlDataset SaveDataset
  SaveDatasetV2 LoadDataset DumpTensor TensorDump BigQueryReader DistributedSave RecordInput
  RpcServer RpcServerStart RpcClient RpcCall WriteSummary WriteScalarSummary WriteHistogramSummary
  WriteImageSummary WriteAudioSummary WriteGraphSummary WriteRawProtoSummary ImportEvent
`.trim().split(/\s+/),
);

/** Operations that read training files. Training graphs use them; served graphs do not need them. */
const TRAINING_OPERATIONS = new Set(
  `
  TextLineDataset TFRecordDataset TFRecordDatasetV2 FixedLengthRecordDataset
  FixedLengthRecordDatasetV2 CSVDataset CSVDatasetV2 ExperimentalCSVDataset LMDBDataset
  ExperimentalLMDBDataset TextLineReader TextLineReaderV2 TFRecordReader TFRecordReaderV2
  FixedLengthRecordReader FixedLengthRecordReaderV2 WholeFileReader WholeFileReaderV2 LMDBReader
  IdentityReader IdentityReaderV2 Save SaveSlices SnapshotDataset SnapshotDatasetV2
`.trim().split(/\s+/),
);

/**
 * The severity of an operation in a graph; undefined if it is harmless. Operations that save and restore
 * checkpoints, fill tables and decode images are harmless.
 *
 * @param isServed Whether the graph is for serving rather than for training.
 */
export function severityOfOperation(operation: string, isServed: boolean): Severity | undefined {
  if (CRITICAL_OPERATIONS.has(operation)) return "critical";
  if (SUSPICIOUS_OPERATIONS.has(operation)) return "warning";
  if (TRAINING_OPERATIONS.has(operation)) return isServed ? "warning" : "info";
  return undefined;
}

/**
 * Whether an attribute makes an operation write to a file or send data: the output stream of PrintV2,
 * or the destinations of DebugIdentity and similar operations.
 */
export function redirectsOutput(operation: string, attribute: string, text: string): boolean {
  if (operation === "PrintV2") return attribute === "output_stream" && /^file:/i.test(text);
  return operation.startsWith("Debug") && attribute === "debug_urls" && text !== "";
}
