import type { Context } from "hono";
import { isoTime } from "../../core/entries.ts";
import type { Tree } from "../../core/tree/changes.ts";
import { verdictDays } from "../../core/tree/verdicts.ts";
import type { VerdictDays } from "../../schemas/verdicts.ts";
import { success } from "../reply/envelope.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { callerOf } from "../serving/auth.ts";

/** `GET /verdicts/days` (C 24). */
export async function showVerdictDays(c: Context<AppEnvironment>, tree: Tree): Promise<Response> {
  const items: VerdictDays["items"] = [...await verdictDays(tree, callerOf(c))].map(
    ([day, counts]) => {
      const of = (verdict: Parameters<typeof counts.get>[0]) => counts.get(verdict) ?? 0;
      return {
        day: isoTime(day).slice(0, 10),
        clean: of("clean"),
        suspicious: of("suspicious"),
        dangerous: of("dangerous"),
        inconclusive: of("inconclusive"),
        unknown: of("unknown"),
      };
    },
  );
  const days: VerdictDays = { items, total: items.length };
  return success(c, days);
}
