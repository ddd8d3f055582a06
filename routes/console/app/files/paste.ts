import { useEffect } from "preact/hooks";
import { may } from "../shared/session.ts";
import { messageOf } from "../ui/states.ts";
import { toast } from "../ui/toasts.ts";
import { dropped } from "../uploads/dropped.ts";
import { uploadTo } from "./actions.ts";

/** Uploads files that are pasted to a folder. Text that is pasted goes where it went. */
export function usePaste(path: string): void {
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      const { clipboardData, target } = event;
      if (clipboardData === null || clipboardData.files.length === 0) return;
      const isElsewhere = target instanceof Element && target.closest("dialog, textarea") !== null;
      if (isElsewhere || !may("resources.upload")) return;
      event.preventDefault();
      dropped(clipboardData).then((chosen) => uploadTo(path, chosen))
        .catch((error) => toast(messageOf(error), { isError: true }));
    };
    addEventListener("paste", paste);
    return () => removeEventListener("paste", paste);
  }, [path]);
}
