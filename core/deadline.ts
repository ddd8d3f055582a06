/**
 * Waits for a result, which may come later.
 *
 * @throws {Error} when it takes longer than `ms` milliseconds.
 */
export async function withinTime<T>(result: Promise<T>, ms: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`No answer within ${ms} ms`)), ms);
  try {
    return await Promise.race([result, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
