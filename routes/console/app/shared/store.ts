import { useEffect, useReducer } from "preact/hooks";

/** A value that components show. They render again when it changes. */
export class Store<T> {
  #value: T;
  readonly #listeners = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    if (value === this.#value) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener();
  }

  /** Calls the listener after each change. Returns what ends that. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

/** The value of a store, in a component. */
export function useStore<T>(store: Store<T>): T {
  const [, update] = useReducer((count: number) => count + 1, 0);
  const { value } = store;
  useEffect(() => {
    // It may have changed since this was rendered.
    if (store.value !== value) update(undefined);
    return store.subscribe(() => update(undefined));
  }, [store]);
  return value;
}
