import { excerpt } from "../../contract/excerpt.ts";

/** What is known of a model, for `ml_context` (SR 2.8). */
export interface ModelFacts {
  /** The framework, in lower case. */
  readonly framework: string;
  readonly version?: string;
  /** What shows the framework, such as `GGUF magic`. */
  readonly indicator: string;
  /** Further fields of `ml_context`. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** Further metadata of the file. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** Metadata of a file with a model in the format of one framework (SR 2.5, SR 2.8). */
export function modelMetadata(
  { framework, version, indicator, context, facts }: ModelFacts,
): Readonly<Record<string, unknown>> {
  return {
    is_model: true,
    ...facts,
    ml_context: {
      frameworks: {
        [framework]: {
          name: framework,
          ...version !== undefined && version !== "" && { version: excerpt(version) },
          confidence: 1,
          indicators: [indicator],
        },
      },
      overall_confidence: 1,
      is_ml_content: true,
      ...context,
    },
  };
}
