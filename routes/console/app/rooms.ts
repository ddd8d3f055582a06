import { accessRoom } from "./access/room.ts";
import { capacityRoom } from "./capacity/room.ts";
import { differencesRoom } from "./differences_room.ts";
import { fileRoom } from "./file_room.ts";
import { filesRoom } from "./files/room.ts";
import { HISTORY_ROOMS } from "./history_rooms.ts";
import { mirrorRoom } from "./mirror_room.ts";
import { modelRoom } from "./model_room.ts";
import { scansRoom } from "./scans_room.ts";
import { storageRoom } from "./storage_room.ts";
import type { Room } from "./ui/room.ts";

/** The rooms, in the order of the navigation, and those within them. */
export const ROOMS: readonly Room[] = [
  filesRoom,
  fileRoom,
  modelRoom,
  differencesRoom,
  ...HISTORY_ROOMS,
  storageRoom,
  scansRoom,
  mirrorRoom,
  capacityRoom,
  accessRoom,
];
