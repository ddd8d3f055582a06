import type { NamedFinding } from "../../contract/checklist.ts";
import type { ProtobufFault, ProtobufReader } from "../../readers/protobuf/protobuf_reader.ts";

const SAID: Readonly<Record<ProtobufFault, string>> = {
  malformed_protobuf: "A message ends in the midst of a field, or is none",
  protobuf_field_limit: "More fields than are read of one file",
  protobuf_depth_limit: "Messages lie deeper within each other than readers allow",
};

/** What kept a reader from the rest of a file, as findings of the check `name`. */
export function* faultFindings(
  reader: ProtobufReader,
  name: string,
): Generator<NamedFinding, void, void> {
  for (const [fault, position] of reader.faults) {
    yield {
      name,
      severity: "info",
      message: SAID[fault],
      position,
      ruleCode: "S902",
      incomplete: fault,
      ...(fault === "protobuf_field_limit" && { operational: true }),
    };
  }
}
