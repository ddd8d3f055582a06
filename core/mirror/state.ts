import type { ComingIn } from "./fetches.ts";
import type { Mirror } from "./files.ts";
import type { SpaceUsage } from "./space.ts";
import type { MirrorTotals } from "./totals.ts";

/** What the mirror is doing, and how the other hub is, as this server knows it. */
export interface MirrorState {
  readonly url: string;
  /** Whether the other hub has answered the last request, or is not even asked for a while. */
  readonly upstream: "unasked" | "answers" | "fails" | "rests";
  /** In milliseconds since the Unix epoch. */
  readonly restsUntil: number | undefined;
  readonly totals: MirrorTotals;
  readonly space: SpaceUsage;
  readonly coming: readonly ComingIn[];
}

/** The state of the mirror. Nobody is asked for it. */
export async function mirrorState(
  { url, upstream, totals, space, fetches }: Mirror,
): Promise<MirrorState> {
  const { restsUntil } = upstream;
  return {
    ...{ url, restsUntil, totals },
    upstream: restsUntil === undefined ? lastOutcome(totals) : "rests",
    space: await space.usage(),
    coming: fetches.coming(),
  };
}

function lastOutcome({ answeredAt, lastFailure }: MirrorTotals): MirrorState["upstream"] {
  if (lastFailure !== undefined && lastFailure.at >= (answeredAt ?? 0)) return "fails";
  return answeredAt === undefined ? "unasked" : "answers";
}
