import { modelScanner } from "../model/scanner.ts";
import { WeightAnalyzer } from "./analysis.ts";
import { tensorReader } from "./tensors.ts";

const VALUES = "Weight Values";

/**
 * Reads the values of all tensors in a file, and tells whether they are distributed like weights (SR
 * 2.10). It takes a second for each GB or so, and therefore runs only on request.
 */
export const weightsScanner = {
  ...modelScanner({
    id: "weights",
    structure: VALUES,
    passed: { [VALUES]: "Every value is a finite number" },
    matches: (content) => content.depth === 0 && tensorReader(content) !== undefined,
    inspect(content, context, checks) {
      const tensors = tensorReader(content)?.(content, context) ?? [];
      const analyzer = new WeightAnalyzer(content.source.size);
      for (const tensor of tensors) analyzer.add(tensor);
      context.addMetadata({
        ml_context: { weight_analysis: analyzer.analysis },
      });
      if (analyzer.notFinite === 0) return;
      checks.add(VALUES, {
        severity: "info",
        message: `${analyzer.notFinite} of ${analyzer.values} values are infinite or no number`,
        why: "Such a model computes nothing of use, or holds other data than weights",
      });
    },
  }),
  optional: true,
} as const;
