import { emitFailuresOnThrow } from "../../contract/checkpoint.ts";
import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import { Checklist } from "../../contract/checklist.ts";
import { isOnnx } from "./detect.ts";
import { EXTERNAL_DATA, TENSOR_SIZE } from "./tensor_checks.ts";
import { CREDENTIAL, type ModelFacts, ModelWalk, PYTHON_OPERATOR } from "./walk.ts";
import { faultFindings } from "../protobuf/faults.ts";
import { ProtobufReader } from "../../readers/protobuf/protobuf_reader.ts";
import type { Check, Content, ScanContext, Scanner } from "../../contract/scanner.ts";

const STRUCTURE = "ONNX Model Structure";
const OPERATOR_DOMAIN = "ONNX Operator Domain";

const PASSED = {
  [STRUCTURE]: "The model was read completely",
  [EXTERNAL_DATA]: "No tensor and no node loads data from outside the model's folder",
  [TENSOR_SIZE]: "Every tensor has the size of its shape",
  [PYTHON_OPERATOR]: "No node calls Python",
  [CREDENTIAL]: "No text contains a credential",
  [OPERATOR_DOMAIN]: "All operators are in well-known domains",
};

/** Checks ONNX models (ModelProto) with all their graphs. Tensor data is skipped. */
export const onnxScanner: Scanner = {
  id: "onnx",
  matches: isOnnx,
  *scan({ source }: Content, context: ScanContext): Generator<Check, void, void> {
    const reader = new ProtobufReader(source);
    const checks = new Checklist<string>(PASSED);
    const walk = new ModelWalk(reader, checks);
    yield* emitFailuresOnThrow(() => walk.run(), () => checks.finish());
    checkModel(walk.facts, checks);
    checks.addAll(faultFindings(reader, STRUCTURE));
    if (walk.facts.graphs > 0) {
      context.addMetadata(modelMetadata(walk.facts));
      context.addFacts({
        format: "onnx",
        format_version: String(walk.facts.irVersion),
        library: "onnx",
        ...walk.facts.weights.tensorFacts,
      });
    }
    yield* checks.finish();
  },
};

function checkModel(facts: ModelFacts, checks: Checklist): void {
  if (facts.graphs === 0) {
    checks.add(STRUCTURE, {
      severity: "info",
      message: "Not an ONNX model: no graph found",
      ruleCode: "S902",
      incomplete: "no_onnx_graph",
    });
  }
  for (const domain of customDomains(facts)) {
    checks.add(OPERATOR_DOMAIN, {
      severity: "info",
      message: `Custom operator domain ${
        quotedExcerpt(domain)
      } needs code that is not in the model`,
      ruleCode: "S1111",
    });
  }
}

const WELL_KNOWN_DOMAIN = /^(?:|ai\.onnx(?:\..*)?|com\.microsoft(?:\..*)?|com\.ms\.internal\..*)$/;

/** Operator domains that neither ONNX, ONNX Runtime nor the model itself defines. */
function customDomains({ domains, functionDomains }: ModelFacts): string[] {
  return [...domains].filter((domain) =>
    !WELL_KNOWN_DOMAIN.test(domain) && !functionDomains.has(domain)
  ).sort();
}

/** Metadata of the file (SR 2.5, SR 2.8). */
function modelMetadata(facts: ModelFacts): Record<string, unknown> {
  const parameters = facts.parameters <= BigInt(Number.MAX_SAFE_INTEGER)
    ? Number(facts.parameters)
    : null;
  const [precision] = [...facts.weightBytes].sort(([, a], [, b]) => (a < b ? 1 : a > b ? -1 : 0));
  return {
    is_model: true,
    ir_version: Number(facts.irVersion),
    producer_name: excerpt(facts.producerName),
    node_count: facts.nodes,
    custom_domains: customDomains(facts).map(excerpt),
    ml_context: {
      frameworks: { onnx: { name: "onnx", confidence: 1, indicators: ["ModelProto"] } },
      overall_confidence: 1,
      is_ml_content: true,
      parameter_count_estimate: parameters,
      precision_type: precision?.[0] ?? null,
      training_framework: facts.producerName === "" ? null : excerpt(facts.producerName),
    },
  };
}
