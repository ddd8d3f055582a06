import { type Caller, scopeOf } from "../caller.ts";
import { AppError, quoted } from "../errors.ts";
import type { Placement, ResourceRecord, TransferEffects, WriteTransaction } from "../ports.ts";
import { type Change, type ChangeSet, changesOf, type Root } from "./change_set.ts";
import { commit, type Tree } from "./changes.ts";
import { withinQuota } from "./quota.ts";
import {
  invalidTransfer,
  type ParsedTransfer,
  parseTransfer,
  pathsToPlan,
  type PlannedTransfer,
  planTransfer,
  type Sources,
  type TransferRequest,
  type TransferVerb,
} from "./plan_transfer.ts";

/** What a move and a copy do differently once they are planned. */
export interface TransferOperation {
  readonly verb: TransferVerb;
  /** @default the present records at the paths */
  readonly sources?: Sources;
  /** Moves or copies the sources to their targets. */
  readonly run: (
    transaction: WriteTransaction,
    placements: readonly Placement[],
    now: number,
  ) => Promise<TransferEffects>;
  /** The change set of the whole transfer, in the order of publication. */
  readonly changes: (prepared: PreparedTargets, effects: TransferEffects) => ChangeSet;
}

/** What is moved or copied, and the changes made before the first source is. */
export interface PreparedTargets {
  readonly placements: readonly Placement[];
  /** The paths that the sources have, or the copies, after the transfer. */
  readonly targets: readonly Root[];
  /** The deletion of what is replaced. */
  readonly replaced: Change;
  /** The new directories above the targets, outermost first. */
  readonly newDirectories: readonly ResourceRecord[];
}

/**
 * Moves or copies records in one transaction: plans the transfer, then applies the plan.
 * See docs/design/moves.md.
 *
 * @throws {AppError} as {@link parseTransfer} and {@link planTransfer} do, and
 *   `ErrResourcesNotFound` when a source has no record, `ErrResourcesInvalidRequest` when sources have
 *   different owners, and what `requirePlacement` throws.
 */
export function transfer(
  tree: Tree,
  request: TransferRequest,
  { verb, run, changes, sources: given }: TransferOperation,
): Promise<ChangeSet> {
  const parsed = parseTransfer(verb, request);
  const work = async (transaction: WriteTransaction) => {
    const now = Date.now();
    const sources = given ?? await findSources(transaction, request.caller, parsed);
    const owner = { userId: sources[0].userId, everyone: false };
    const paths = pathsToPlan(sources, parsed.destination);
    const existing = await transaction.findByPath(owner, paths);
    const plan = planTransfer({ transfer: parsed, sources, existing, now });
    for (const placement of plan.placements) request.requirePlacement?.(placement);
    const prepared = await prepareTargets(transaction, plan);
    return changes(prepared, await run(transaction, plan.placements, now));
  };
  const { caller } = request;
  return commit(
    tree,
    (transaction) => withinQuota(tree, { caller, verb, transaction }, () => work(transaction)),
    { caller, isLocal: true },
  );
}

async function findSources(
  transaction: WriteTransaction,
  caller: Caller,
  { verb, sources }: ParsedTransfer,
): Promise<Sources> {
  const found = await transaction.findByPath(scopeOf(caller), sources);
  const [first, ...others] = sources.map((path) => {
    const record = found.get(path);
    if (record !== undefined) return record;
    throw new AppError("ErrResourcesNotFound", `Cannot ${verb} ${quoted(path)}: not found`);
  });
  if (first === undefined) throw new RangeError("No sources");
  const foreign = others.find(({ userId }) => userId !== first.userId);
  if (foreign !== undefined) {
    const reason = `it belongs to another user than ${quoted(first.path)}`;
    throw invalidTransfer(verb, foreign.path, reason);
  }
  return [first, ...others];
}

async function prepareTargets(
  transaction: WriteTransaction,
  { placements, replaced, newDirectories }: PlannedTransfer,
): Promise<PreparedTargets> {
  return {
    placements,
    targets: placements.map(({ source, target }) => ({ userId: source.userId, path: target })),
    replaced: changesOf("deleted", await transaction.deleteSubtrees(replaced), replaced),
    newDirectories: await transaction.insert(newDirectories),
  };
}
