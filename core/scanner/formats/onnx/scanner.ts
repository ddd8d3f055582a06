import { emitFailuresOnThrow } from "../../contract/checkpoint.ts";
import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import { Checklist } from "../../contract/checklist.ts";
import { isOnnx } from "./detect.ts";
import { EXTERNAL_DATA, TENSOR_SIZE } from "./tensor_checks.ts";
import { type ModelFacts, ModelWalk, PYTHON_OPERATOR } from "./walk.ts";
import { faultFindings } from "../protobuf/faults.ts";
import { ProtobufReader } from "../../readers/protobuf/protobuf_reader.ts";
import type { Check, Content, ScanContext, Scanner } from "../../contract/scanner.ts";

const STRUCTURE = "ONNX Model Structure";
const OPERATOR_DOMAIN = "ONNX Operator Domain";

const PASSED = {
  [STRUCTURE]: "The model was read through to its end",
  [EXTERNAL_DATA]: "No tensor takes its data from outside of the folder of the model",
  [TENSOR_SIZE]: "The tensors have the sizes of their dimensions",
  [PYTHON_OPERATOR]: "No node calls Python",
  [OPERATOR_DOMAIN]: "All operators are of well-known domains",
};

/** Models of ONNX (ModelProto), with all their graphs; tensors are passed over by their length. */
export const onnxScanner: Scanner = {
  id: "onnx",
  matches: isOnnx,
  *scan({ source }: Content, context: ScanContext): Generator<Check, void, void> {
    const reader = new ProtobufReader(source);
    const checks = new Checklist<string>(PASSED);
    const walk = new ModelWalk(reader, checks);
    yield* emitFailuresOnThrow(() => walk.model(), () => checks.finish());
    checkModel(walk.facts, checks);
    checks.addAll(faultFindings(reader, STRUCTURE));
    if (walk.facts.graphs > 0) context.addMetadata(notes(walk.facts));
    yield* checks.finish();
  },
};

function checkModel(facts: ModelFacts, checks: Checklist): void {
  if (facts.graphs === 0) {
    checks.add(STRUCTURE, {
      severity: "info",
      message: "The content is no model of ONNX: it has no graph",
      ruleCode: "S902",
      incomplete: "no_onnx_graph",
    });
  }
  for (const domain of customDomains(facts)) {
    checks.add(OPERATOR_DOMAIN, {
      severity: "info",
      message: `Operators of the domain ${
        quotedExcerpt(domain)
      } are code that does not come with the model`,
      ruleCode: "S1104",
    });
  }
}

const WELL_KNOWN_DOMAIN = /^(?:|ai\.onnx(?:\..*)?|com\.microsoft(?:\..*)?|com\.ms\.internal\..*)$/;

/** Domains of operators that neither ONNX nor its usual runtime defines, nor the model itself. */
function customDomains({ domains, functionDomains }: ModelFacts): string[] {
  return [...domains].filter((domain) =>
    !WELL_KNOWN_DOMAIN.test(domain) && !functionDomains.has(domain)
  ).sort();
}

function notes(facts: ModelFacts): Record<string, unknown> {
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
