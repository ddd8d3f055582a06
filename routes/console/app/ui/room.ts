import type { ComponentChild } from "preact";
import type { IconName } from "./icon.ts";

/** A room of the console: a place with a name of its own in the navigation. */
export interface Room {
  /** In addresses: `#/files`. */
  readonly id: string;
  /** The room of the navigation that it belongs to, if it has no place of its own there. */
  readonly within?: string;
  readonly title: string;
  readonly icon: IconName;
  /** What it needs to show anything. Without it, the room says so. */
  readonly privilege: string;
  /** Whether it is about the host, so that the privilege counts whatever tree is shown. @default false */
  readonly ofHost?: boolean;
  /** Whether the server has what it shows. Without it, the room is not in the navigation. @default true */
  readonly isOffered?: () => boolean;
  /** @param path What follows the room in the address, such as the path of a directory. */
  readonly view: (props: { readonly path: string }) => ComponentChild;
}
