import { modelMetadata } from "../model/metadata.ts";
import { modelScanner } from "../model/scanner.ts";
import { ElementCounts } from "../tensors/element_counts.ts";
import { listedNames } from "../tensors/names.ts";
import { isParameters, readParameters } from "./parameters.ts";
import { checkSymbol, isSymbol, OPERATORS } from "./symbol.ts";

const STRUCTURE = "MXNet Model Structure";

/** Checks MXNet models: symbols, which are graphs in JSON, and parameters. */
export const mxnetScanner = modelScanner({
  id: "mxnet",
  structure: STRUCTURE,
  passed: {
    [STRUCTURE]: "The model was read completely",
    [OPERATORS]: "No operator calls code outside of MXNet",
  },
  matches: ({ name, source }) => isSymbol(source, name) || isParameters(source),
  inspect({ source }, context, checks) {
    if (isParameters(source)) {
      const { arrays, names } = readParameters(source);
      const counts = new ElementCounts();
      for (const { type, elements } of arrays) counts.add(type, elements);
      context.addAssetParts({ tensors: listedNames(names) });
      context.addFacts({ format: "mxnet", ...counts.tensorFacts });
      return context.addMetadata(modelMetadata({
        framework: "mxnet",
        indicator: "NDArray list",
        context: counts.facts,
        facts: { tensor_count: arrays.length },
      }));
    }
    const { nodes, version } = checkSymbol(source, checks);
    context.addMetadata(modelMetadata({
      framework: "mxnet",
      version,
      indicator: "symbol JSON",
      context: { layer_count_estimate: nodes, training_framework: "mxnet" },
      facts: { node_count: nodes },
    }));
  },
});
