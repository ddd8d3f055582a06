/**
 * Does the work for each item of some pages, for so many items at once. The first failure aborts the
 * work on the others.
 *
 * @throws what was first thrown, or the reason for which the work had been aborted.
 */
export async function inParallel<T>(
  pages: AsyncIterable<readonly T[]>,
  concurrency: number,
  abort: AbortController,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const items = eachOf(pages);
  const worker = async () => {
    try {
      for (let next = await items.next(); !next.done; next = await items.next()) {
        await work(next.value);
      }
    } catch (error) {
      // The other workers have nothing to go on for.
      abort.abort(error);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  abort.signal.throwIfAborted();
}

async function* eachOf<T>(pages: AsyncIterable<readonly T[]>): AsyncGenerator<T, void> {
  for await (const page of pages) yield* page;
}
