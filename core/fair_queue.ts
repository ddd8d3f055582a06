/** How many users are remembered to have had turns. */
const MAX_REMEMBERED = 1000;

/** A queue in which users take turns: however many items one user adds, the next of another is not far. */
export class FairQueue<Item> {
  /** The items of each user, in the order of the users' turns. */
  readonly #queues = new Map<number, Item[]>();
  /** The users that had turns, the latest last. */
  readonly #served = new Set<number>();

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

  /** What {@link next} would return. */
  peek(): Item | undefined {
    const userId = this.#nextUser();
    return userId === undefined ? undefined : this.#queues.get(userId)?.[0];
  }

  /**
   * Removes and returns the first item of the user whose turn it is: one who has had none, or whose last one
   * is the longest ago.
   */
  next(): Item | undefined {
    const userId = this.#nextUser();
    if (userId === undefined) return undefined;
    const queue = this.#queues.get(userId);
    const item = queue?.shift();
    if (queue?.length === 0) this.#queues.delete(userId);
    this.#served.delete(userId);
    this.#served.add(userId);
    if (this.#served.size > MAX_REMEMBERED) this.#forgetFirst();
    return item;
  }

  #nextUser(): number | undefined {
    return this.#queues.keys().find((it) => !this.#served.has(it)) ??
      this.#served.values().find((it) => this.#queues.has(it));
  }

  #forgetFirst(): void {
    for (const userId of this.#served.values().take(1)) this.#served.delete(userId);
  }
}
