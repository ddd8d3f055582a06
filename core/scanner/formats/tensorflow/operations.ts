import type { Severity } from "../../contract/severity.ts";

/** Operations that run Python or programs, or read and write any file they are given. */
const CRITICAL = new Set(
  `
  PyFunc PyFuncStateless EagerPyFunc PyCall ShellExecute ExecuteOp SystemConfig LoadLibrary
  LoadLibraryV2 ReadFile WriteFile
`.trim().split(/\s+/),
);

/** Operations that reach for files, the network or the memory of others. */
const WARNING = new Set(
  `
  MatchingFiles LoadAndRemapMatrix ImmutableConst Abort CreateSummaryFileWriter CreateSummaryDbWriter
  Rpc TryRpc RegisterDataset RegisterDatasetV2 DataServiceDataset DataServiceDatasetV2
  DataServiceDatasetV3 DataServiceDatasetV4 SqlDataset ExperimentalSqlDataset SaveDataset
  SaveDatasetV2 LoadDataset DumpTensor TensorDump BigQueryReader DistributedSave RecordInput
  RpcServer RpcServerStart RpcClient RpcCall
`.trim().split(/\s+/),
);

/**
 * Operations that read the files of a training: nothing that is served needs them, every graph of a
 * training has them.
 */
const TRAINING = new Set(
  `
  TextLineDataset TFRecordDataset TFRecordDatasetV2 FixedLengthRecordDataset
  FixedLengthRecordDatasetV2 CSVDataset CSVDatasetV2 ExperimentalCSVDataset LMDBDataset
  ExperimentalLMDBDataset TextLineReader TextLineReaderV2 TFRecordReader TFRecordReaderV2
  FixedLengthRecordReader FixedLengthRecordReaderV2 WholeFileReader WholeFileReaderV2 LMDBReader
  IdentityReader IdentityReaderV2 Save SaveSlices SnapshotDataset SnapshotDatasetV2
`.trim().split(/\s+/),
);

/**
 * How bad it is that a graph has an operation; undefined where it is not. Those with which every
 * checkpoint is saved and restored, tables are filled and images decoded are not.
 *
 * @param isServed whether the graph is one to be served, rather than one of a training.
 */
export function severityOfOperation(operation: string, isServed: boolean): Severity | undefined {
  if (CRITICAL.has(operation)) return "critical";
  if (WARNING.has(operation)) return "warning";
  if (TRAINING.has(operation)) return isServed ? "warning" : "info";
  return undefined;
}

/**
 * Whether a text that an operation has as an attribute makes it write: the output stream of PrintV2,
 * or where DebugIdentity and its kin send tensors to.
 */
export function writesElsewhere(operation: string, attribute: string, text: string): boolean {
  if (operation === "PrintV2") return attribute === "output_stream" && /^file:/i.test(text);
  return operation.startsWith("Debug") && attribute === "debug_urls" && text !== "";
}
