/**
 * Runs work on items, several at once. After a failure, no more items are begun.
 *
 * @throws {unknown} what the first work that failed threw, when all that had begun has ended.
 */
export async function concurrently<T>(
  items: AsyncIterable<T> | Iterable<T>,
  workers: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = Symbol.asyncIterator in items
    ? items[Symbol.asyncIterator]()
    : items[Symbol.iterator]();
  let isOver = false;
  const run = async () => {
    while (!isOver) {
      const { done, value } = await iterator.next();
      if (done) return;
      await work(value);
    }
  };
  const runs = Array.from({ length: workers }, async () => {
    try {
      await run();
    } finally {
      isOver = true;
    }
  });
  const failure = (await Promise.allSettled(runs)).find(({ status }) => status === "rejected");
  if (failure?.status === "rejected") throw failure.reason;
}
