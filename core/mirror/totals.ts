/** What a mirror has done since the start of the server. */
export class MirrorTotals {
  /** Requests for files. */
  requests = 0;
  /** Those for files that were there. */
  hits = 0;
  fetchedFiles = 0;
  fetchedBytes = 0;
  /** Requests that the other hub has failed: it was away, or sent something else. */
  failures = 0;
  /** Files that did not have the digest that the other hub states. */
  mismatches = 0;
  /** Files that were refused after their fetch. */
  refusals = 0;
  /** When the other hub answered last, in milliseconds since the Unix epoch. */
  answeredAt: number | undefined;
  /** When it failed last, and how. */
  lastFailure: { readonly at: number; readonly reason: string } | undefined;
  readonly #refusalsBy = new Map<string, number>();

  /** How often each rule has refused a file to somebody, by its name. */
  get refusalsBy(): ReadonlyMap<string, number> {
    return this.#refusalsBy;
  }

  failed({ message }: Error): void {
    this.failures++;
    this.lastFailure = { at: Date.now(), reason: message };
  }

  /** @param rule That of the policy, or what stands for the gate. */
  refusedBy(rule: string): void {
    this.#refusalsBy.set(rule, (this.#refusalsBy.get(rule) ?? 0) + 1);
  }
}
