import { type AllowedNames, PYTHON_NAMES } from "./allowed_python.ts";
import { LIBRARY_NAMES } from "./allowed_libraries.ts";
import { SCIENCE_NAMES } from "./allowed_science.ts";
import { SKLEARN_NAMES } from "./allowed_sklearn.ts";
import { TORCH_NAMES } from "./allowed_torch.ts";
import { TRAINING_NAMES } from "./allowed_training.ts";

/** Names that a pickle may import and call without a finding. Only exact paths count. */
export const ALLOWED_GROUPS: readonly AllowedNames[] = [
  ...PYTHON_NAMES,
  ...SCIENCE_NAMES,
  ...SKLEARN_NAMES,
  ...TORCH_NAMES,
  ...TRAINING_NAMES,
  ...LIBRARY_NAMES,
];
