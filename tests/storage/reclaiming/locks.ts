import { Doing, Publication, type Server, type World } from "./state.ts";

const PUBLISHING: ReadonlySet<Doing> = new Set([
  Doing.Publishing,
  Doing.OutcomeUnknown,
  Doing.DeadPublishing,
]);

const COLLECTING: ReadonlySet<Doing> = new Set([
  Doing.Locked,
  Doing.Removing,
  Doing.DeadLocked,
  Doing.DeadRemoving,
]);

/** Whether a transaction that publishes the object has taken its row. */
export function isObjectLocked({ servers }: World, object: number): boolean {
  return servers.some((it) => it.object === object && PUBLISHING.has(it.doing));
}

/** Whether a collection has locked the row of the content. */
export function isCollected({ servers }: World, content: number): boolean {
  return servers.some((it) => it.content === content && COLLECTING.has(it.doing));
}

/** The transactions that publish the content. */
export function publishing({ servers }: World, content: number): Server[] {
  return servers.filter((it) => it.content === content && PUBLISHING.has(it.doing));
}

/** Whether a transaction that publishes the content in this way waits for another one. */
export function mustWait(world: World, content: number, publication: Publication): boolean {
  if (isCollected(world, content)) return true;
  const others = publishing(world, content);
  if (publication === Publication.Share) return false;
  return others.some((it) => it.publication === publication);
}
