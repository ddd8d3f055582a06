import type { ResourceEntry } from "../../../../schemas/resources.ts";
import { may } from "../shared/session.ts";
import { moveDropped } from "./actions.ts";

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

/** Attributes of a folder that entries can be dropped on. */
export function folderTarget(path: string): Record<string, unknown> {
  const mark = (event: DragEvent, isOver: boolean) => {
    if (event.currentTarget instanceof Element) {
      event.currentTarget.classList.toggle("is-target", isOver);
    }
  };
  return {
    onDragOver: (event: DragEvent) => {
      const isItself = dragged.some((entry) => entry.path === path);
      if (!event.dataTransfer?.types.includes(ENTRIES) || isItself) return;
      event.preventDefault();
      mark(event, true);
    },
    onDragLeave: (event: DragEvent) => mark(event, false),
    onDrop: (event: DragEvent) => {
      mark(event, false);
      if (!event.dataTransfer?.types.includes(ENTRIES)) return;
      event.preventDefault();
      moveDropped(dragged, path);
    },
  };
}

/** Whether a drag has files of the computer. */
export function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes("Files") ?? false;
}
