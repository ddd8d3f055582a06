import { LIBRARY_NAMES } from "./allowed_libraries.ts";
import { PYTHON_NAMES } from "./allowed_python.ts";
import { SCIENCE_NAMES } from "./allowed_science.ts";
import { SKLEARN_NAMES } from "./allowed_sklearn.ts";
import { TORCH_NAMES } from "./allowed_torch.ts";
import { TRAINING_NAMES } from "./allowed_training.ts";
import { type AllowedNames, FUNCTION, OBJECT, type Use } from "./uses.ts";

const ALLOWED_GROUPS: readonly AllowedNames[] = [
  ...PYTHON_NAMES,
  ...SCIENCE_NAMES,
  ...SKLEARN_NAMES,
  ...TORCH_NAMES,
  ...TRAINING_NAMES,
  ...LIBRARY_NAMES,
];

/** Names that a pickle may import, by their path, and how it may use them. Only exact paths count. */
export const ALLOWED_USES: ReadonlyMap<string, Use> = new Map(
  ALLOWED_GROUPS.flatMap(([module, names, use = OBJECT]) =>
    names.trim().split(/\s+/).map((name) => [`${module}.${name}`, use] as const)
  ),
);

/** The modules that these names are in. */
export const ALLOWED_MODULES: ReadonlySet<string> = new Set(
  ALLOWED_GROUPS.map(([module]) => module),
);

/** How an allowed name may be used; undefined for any other. */
export function useOf(path: string): Use | undefined {
  return ALLOWED_USES.get(path) ?? (path.startsWith("os.path") ? FUNCTION : undefined);
}
