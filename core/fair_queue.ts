/** A queue in which users take turns: however many items one user adds, the next of another is not far. */
export class FairQueue<Item> {
  /** The items of each user, in the order of the users' turns. */
  readonly #queues = new Map<number, Item[]>();

  /** How many items are queued, of one user or of all. */
  size(userId?: number): number {
    if (userId !== undefined) return this.#queues.get(userId)?.length ?? 0;
    return [...this.#queues.values()].reduce((sum, { length }) => sum + length, 0);
  }

  /** How many users have items in it. */
  get users(): number {
    return this.#queues.size;
  }

  /** @param index The position among the user's items. @default the last */
  add(userId: number, item: Item, index = Infinity): void {
    const queue = this.#queues.get(userId);
    if (queue === undefined) this.#queues.set(userId, [item]);
    else queue.splice(index, 0, item);
  }

  /** The first item that fulfills the condition. */
  find(condition: (item: Item) => boolean): Item | undefined {
    for (const queue of this.#queues.values()) {
      const found = queue.find(condition);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Removes an item. Returns its position among the user's items. */
  remove(userId: number, item: Item): number {
    const queue = this.#queues.get(userId) ?? [];
    const index = queue.indexOf(item);
    if (index !== -1) queue.splice(index, 1);
    if (queue.length === 0) this.#queues.delete(userId);
    return index;
  }

  /** Removes and returns the first item of the user whose turn it is. */
  next(): Item | undefined {
    const [turn] = this.#queues;
    if (turn === undefined) return undefined;
    const [userId, queue] = turn;
    const item = queue.shift();
    this.#queues.delete(userId);
    if (queue.length > 0) this.#queues.set(userId, queue);
    return item;
  }
}
