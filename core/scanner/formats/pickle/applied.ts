import type { ImportRecord } from "./findings.ts";
import type { OpcodeName } from "./opcodes.ts";
import { canonicalPath } from "./policy.ts";
import type { PickleValue } from "./values.ts";

/** What a call calls in turn, as far as that can be seen. */
export interface Applied {
  readonly imports: readonly ImportRecord[];
  /** Whether something is applied that no pickler of tensors applies. */
  readonly odd: boolean;
}

const NOTHING: Applied = { imports: [], odd: false };

/** Functions of PyTorch that call their first argument with those in the third. */
const APPLIERS: ReadonlySet<string> = new Set([
  "torch._tensor._rebuild_from_type_v2",
  "torch._tensor._rebuild_from_type",
]);

const REBUILDER = /^torch\._utils\._rebuild_\w+$/;

/** Functions that use their arguments by their methods, which a state can put there. */
const REBUILDS = /^torch\.(?:_utils|_tensor)\._rebuild_\w+$|^torch\.nn\.(?:parameter\.)?Parameter$/;

/** Values within values, and how many of them, that are looked through. */
const MAX_DEPTH = 6;
const MAX_VALUES = 5000;

/** What the call of one of PyTorch's rebuilding functions calls in turn. */
export function appliedBy(callee: PickleValue, args: readonly PickleValue[]): Applied {
  const path = pathOf(callee);
  if (path === undefined || !REBUILDS.test(path)) return NOTHING;
  const imports: ImportRecord[] = [];
  gather(args, imports, { left: MAX_VALUES }, MAX_DEPTH);
  const applied = args[0] === undefined ? undefined : pathOf(args[0]);
  const odd = APPLIERS.has(path) && (applied === undefined || !REBUILDER.test(applied));
  return { imports, odd };
}

function gather(
  values: readonly PickleValue[],
  into: ImportRecord[],
  budget: { left: number },
  levels: number,
): void {
  for (const value of values) {
    if (budget.left-- <= 0) return;
    if (value.kind === "import") into.push(value.record);
    if (levels === 0) continue;
    if ("items" in value) gather(value.items, into, budget, levels - 1);
    if (value.kind === "call" && value.state !== undefined) {
      gather([value.state], into, budget, levels - 1);
    }
  }
}

/**
 * Classes that are harmless as long as they are made without their constructor, as picklers do: theirs
 * evaluates text (those of YOLO), calls what is in a list, or opens the file that it is given.
 */
const HARMFUL_CONSTRUCTOR =
  /^(?:models\.yolo|ultralytics\.nn\.tasks|accelerate\.state)\.|^torch\.optim\.lr_scheduler\.|^(?:xgboost\.core|lightgbm\.basic)\.Booster$|^transformers\.(?:integrations\.)?deepspeed\./;

/** The class whose constructor a call runs, where that does harm. */
export function runsConstructor(
  callee: PickleValue,
  args: readonly PickleValue[],
  opcode: OpcodeName,
): string | undefined {
  if (opcode === "NEWOBJ" || opcode === "NEWOBJ_EX") return undefined;
  const path = pathOf(callee);
  // It calls the constructor of the base, the second argument, and not that of the class.
  const base = args[1];
  const made = path === "copyreg._reconstructor" && base !== undefined ? pathOf(base) : path;
  return made !== undefined && HARMFUL_CONSTRUCTOR.test(made) ? made : undefined;
}

function pathOf(value: PickleValue): string | undefined {
  return value.kind === "import"
    ? canonicalPath(value.record.module, value.record.name)
    : undefined;
}
