import type { NamedFinding } from "../../contract/checklist.ts";
import type { ProtobufFault, ProtobufReader } from "../../readers/protobuf/protobuf_reader.ts";

const MESSAGES: Readonly<Record<ProtobufFault, string>> = {
  malformed_protobuf: "A protobuf message is malformed or truncated",
  protobuf_field_limit: "The file has too many protobuf fields to read",
  protobuf_depth_limit: "Protobuf messages are nested too deeply",
};

/** The faults that stopped a reader, as findings of the check `name`. */
export function* faultFindings(
  reader: ProtobufReader,
  name: string,
): Generator<NamedFinding, void, void> {
  for (const [fault, position] of reader.faults) {
    yield {
      name,
      severity: "info",
      message: MESSAGES[fault],
      position,
      ruleCode: "S902",
      incomplete: fault,
      ...(fault !== "malformed_protobuf" && { operational: true }),
    };
  }
}
