import { type ComponentChild, h } from "preact";
import { useRef } from "preact/hooks";
import type { Usage } from "../../../../schemas/usage.ts";
import { call } from "../shared/api.ts";
import { bytes, share } from "../shared/format.ts";
import { isOfResource } from "../shared/live.ts";
import { useLoaded } from "../ui/loaded.ts";
import { Icon } from "../ui/icon.ts";

/** From this part of the quota on, a person is to know that little is left. */
const NEARLY_FULL = 0.9;

/** How much of its quota a tree takes. */
export interface Quota {
  /** In bytes. */
  readonly used: number;
  readonly quota: number;
}

/**
 * What the tree that is shown takes of its quota, as that changes. Undefined without one, and until it is known.
 *
 * @param listed Resolves when there is a list to stand below: that comes first.
 */
export function useQuota(listed: Promise<void>): Quota | undefined {
  const hasNone = useRef(false);
  const { state } = useLoaded(
    async (signal) => {
      await listed;
      const usage = await call<Usage>("GET", "/usage/", { signal });
      hasNone.current = usage.quota === null;
      return usage;
    },
    [],
    // To find out what a tree takes, the server reads all of it: not where it does not matter.
    (event) => !hasNone.current && isOfResource(event) && event.type !== "resource.verdict",
  );
  if (state.kind !== "loaded") return undefined;
  const { quota, bytes: size, uploading, tagged_bytes: tagged } = state.data;
  return quota === null ? undefined : { used: size + uploading + tagged, quota };
}

/** Whether little of the quota is left. */
export function isNearlyFull({ used, quota }: Quota): boolean {
  return used >= NEARLY_FULL * quota;
}

/** `30 % of 10.0 GiB used` */
export function QuotaWords({ quota }: { readonly quota: Quota }): ComponentChild {
  const words = `${share(quota.used, quota.quota)} of ${bytes(quota.quota)} used`;
  if (!isNearlyFull(quota)) return h("span", { class: "number" }, words);
  return h(
    "span",
    { class: "quota-warning number", role: "status" },
    h(Icon, { name: "alert" }),
    quota.used >= quota.quota ? `Full: ${words}` : `Nearly full: ${words}`,
  );
}
