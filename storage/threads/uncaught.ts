/** Throws an error that nobody can catch: the program ends. */
export function throwUncaught(error: Error): void {
  queueMicrotask(() => {
    throw error;
  });
}
