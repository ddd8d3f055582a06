/** How many searches are remembered. */
const MAX_SEARCHES = 1000;

/**
 * How far searches for commit ids have come that did not end in one request. The next request goes on from there:
 * what was committed meanwhile cannot be what its client has seen before.
 */
export class CommitSearches {
  /** Those begun first come first. */
  readonly #places = new Map<string, Map<string, number>>();

  /** The newest version of each directory that the search has yet to look at. */
  placesOf(search: string): Map<string, number> {
    const places = this.#places.get(search) ?? new Map<string, number>();
    this.#places.set(search, places);
    const [oldest] = this.#places.keys();
    if (this.#places.size > MAX_SEARCHES && oldest !== undefined) this.#places.delete(oldest);
    return places;
  }

  ended(search: string): void {
    this.#places.delete(search);
  }
}
