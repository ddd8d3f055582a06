import type { ScanEntry } from "../../../../schemas/scans.ts";
import { call } from "../shared/api.ts";
import { goTo } from "../shared/router.ts";
import { messageOf } from "../ui/states.ts";
import { toast } from "../ui/toasts.ts";

/** Scans a file or folder, and shows the scan. Says why if that fails. */
export async function startScan(path: string): Promise<void> {
  try {
    const { id } = await call<ScanEntry>("POST", "/scans/", { json: { path } });
    goTo("scans", String(id));
  } catch (error) {
    toast(messageOf(error), { isError: true });
  }
}
