import type { ScanEntry } from "../../../../schemas/scans.ts";
import { call } from "../shared/api.ts";
import { goTo } from "../shared/router.ts";
import { messageOf } from "../ui/states.ts";
import { toast } from "../ui/toasts.ts";

/** Scans files and folders, and shows the scan. Says why if that fails. */
export async function startScan(...paths: readonly string[]): Promise<void> {
  try {
    const { id } = await call<ScanEntry>("POST", "/scans/", { json: { paths } });
    goTo("scans", String(id));
  } catch (error) {
    toast(messageOf(error), { isError: true });
  }
}
