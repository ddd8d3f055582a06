import type { ResourceEntry } from "../../../../schemas/resources.ts";
import { may } from "../shared/session.ts";
import { dropped } from "../uploads/dropped.ts";
import { messageOf } from "../ui/states.ts";
import { toast } from "../ui/toasts.ts";
import { moveDropped, uploadTo } from "./actions.ts";
import { landing, showLanding } from "./landing.ts";

/** The type of a drag of entries, which no other page understands. */
const ENTRIES = "application/x-strongroom-entries";

/** What is being dragged. Its data cannot be read before the drop. */
let dragged: readonly ResourceEntry[] = [];

/** Attributes of a row that can be dragged. */
export function draggable(entries: () => readonly ResourceEntry[]): Record<string, unknown> {
  return {
    draggable: may("resources.edit"),
    onDragStart: ({ dataTransfer }: DragEvent) => {
      dragged = entries();
      dataTransfer?.setData(ENTRIES, "");
      if (dataTransfer !== null) dataTransfer.effectAllowed = "move";
    },
    onDragEnd: () => dragged = [],
  };
}

/** Attributes of a folder that entries, and files of the computer, can be dropped on. */
export function folderTarget(path: string): Record<string, unknown> {
  const mark = (event: DragEvent, isOver: boolean) => {
    if (event.currentTarget instanceof Element) {
      event.currentTarget.classList.toggle("is-target", isOver);
    }
  };
  return {
    onDragOver: (event: DragEvent) => {
      const isItself = dragged.some((entry) => entry.path === path);
      if (!takesFiles(event) && (!event.dataTransfer?.types.includes(ENTRIES) || isItself)) return;
      event.preventDefault();
      event.stopPropagation();
      mark(event, true);
      showLanding(takesFiles(event) ? "upload" : "move", path);
    },
    onDragLeave: (event: DragEvent) => {
      mark(event, false);
      landing.set(undefined);
    },
    onDrop: (event: DragEvent) => {
      mark(event, false);
      if (takesFiles(event)) return dropFiles(event, path);
      if (!event.dataTransfer?.types.includes(ENTRIES)) return;
      event.preventDefault();
      moveDropped(dragged, path);
    },
  };
}

function takesFiles(event: DragEvent): boolean {
  return hasFiles(event) && may("resources.upload");
}

/** Uploads what was dropped to a folder, and to none around it. */
export function dropFiles(event: DragEvent, path: string): void {
  if (event.dataTransfer === null || !hasFiles(event)) return;
  event.preventDefault();
  event.stopPropagation();
  dropped(event.dataTransfer).then((chosen) => uploadTo(path, chosen))
    .catch((error) => toast(messageOf(error), { isError: true }));
}

/** Keeps the browser from opening a file that is dropped where nothing takes it. */
export function ignoreOtherDrops(): void {
  addEventListener("dragover", (event) => {
    if (event.defaultPrevented || !hasFiles(event)) return;
    event.preventDefault();
    if (event.dataTransfer !== null) event.dataTransfer.dropEffect = "none";
  });
  addEventListener("drop", (event) => hasFiles(event) && event.preventDefault());
}

/** Whether a drag has files of the computer. */
export function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes("Files") ?? false;
}
