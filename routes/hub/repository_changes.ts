import { deleteRepository } from "../../core/hub/delete_repository.ts";
import { moveRepository } from "../../core/hub/move_repository.ts";
import { nameable, repositoryNamed } from "../../core/hub/repository.ts";
import { release } from "../../core/record_lists.ts";
import { changedOwners, type ChangeSet } from "../../core/tree/change_set.ts";
import { DeletedRepository, MovedRepository } from "../../schemas/hub_repository.ts";
import { auditChange } from "../serving/audit.ts";
import { callerOf } from "../serving/auth.ts";
import { jsonBody } from "../request/body.ts";
import type { Services } from "../serving/route.ts";
import { idOf, kindOfType } from "./create.ts";
import { type Handled, hubJson } from "./replies.ts";

/** `DELETE /api/repos/delete` (C 31). */
export async function removeRepository(c: Handled, { tree }: Services): Promise<Response> {
  const { type, ...name } = await jsonBody(c.req.raw, DeletedRepository);
  const caller = callerOf(c);
  const id = idOf(caller, name);
  const repository = repositoryNamed(caller, { kind: kindOfType(type), id });
  const paths = [repository.directory];
  auditChange(c, { paths });
  return changed(c, paths, await deleteRepository(tree, { caller, repository }));
}

/** `POST /api/repos/move` (C 31). */
export async function renameRepository(c: Handled, { tree }: Services): Promise<Response> {
  const { fromRepo, toRepo, type } = await jsonBody(c.req.raw, MovedRepository);
  const caller = callerOf(c);
  const kind = kindOfType(type);
  const from = repositoryNamed(caller, { kind, id: fromRepo });
  const to = nameable(caller, { kind, id: toRepo }, "move to");
  const paths = [from.directory, to.directory];
  auditChange(c, { paths });
  return changed(c, paths, await moveRepository(tree, { caller, from, to }));
}

function changed(c: Handled, paths: readonly string[], changes: ChangeSet): Response {
  auditChange(c, { paths, records: changedOwners(changes) });
  for (const { records } of changes) release(records);
  return hubJson(c, {});
}
