import { type ComponentChild, h } from "preact";
import { useEffect } from "preact/hooks";
import type { ConsoleSession } from "../../../schemas/console.ts";
import { signOut } from "./shared/api.ts";
import { connection } from "./shared/live.ts";
import { nameOf } from "./shared/paths.ts";
import { formerPlace, linkWith, place } from "./shared/router.ts";
import type { Room } from "./ui/room.ts";
import { ROOMS } from "./rooms.ts";
import { holds, holdsNothing, may, shownAt, shownTree } from "./shared/session.ts";
import { useStore } from "./shared/store.ts";
import { PastBanner } from "./past/banner.ts";
import { TreeChoice } from "./tree_choice.ts";
import { Button } from "./ui/button.ts";
import { Announced } from "./ui/announced.ts";
import { DensityButton } from "./ui/density.ts";
import { Dialogs } from "./ui/dialog.ts";
import { Icon } from "./ui/icon.ts";
import { Jobs } from "./ui/jobs.ts";
import { KeysHelp } from "./ui/keys_help.ts";
import { Menus } from "./ui/menu.ts";
import { UploadPanel } from "./uploads/panel.ts";
import { showTitle } from "./ui/shown_text.ts";
import { messageOf, Notice } from "./ui/states.ts";
import { toast, Toasts } from "./ui/toasts.ts";

/** What takes a slash itself. */
const EDITABLE = "input, textarea, select";

/** What surrounds every room: the navigation, who is signed in, messages and questions. */
export function Shell({ session }: { readonly session: ConsoleSession }): ComponentChild {
  const { room: id, path } = useStore(place);
  const tree = useStore(shownTree);
  const at = useStore(shownAt);
  const room = ROOMS.find((it) => it.id === id);
  const placeName = [nameOf(path), room?.title ?? "Page not found"].filter((it) => it).join(" – ");
  useEffect(() => {
    showTitle(`${placeName} – strongroom`);
    // What had the focus may be gone with the former place.
    if (document.activeElement === document.body && formerPlace() !== undefined) {
      document.getElementById("main")?.focus({ preventScroll: true });
    }
    // In a low window the whole page scrolls, and stays where the former place, or the sign-in, was scrolled to.
    scrollTo(0, 0);
  }, [room, path]);
  useEffect(() => {
    const search = (event: KeyboardEvent) => {
      const { target, key } = event;
      if (key !== "/" || target instanceof HTMLElement && target.matches(EDITABLE)) return;
      const field = document.querySelector<HTMLInputElement>("input[type=search]");
      if (field === null || document.querySelector("dialog[open]") !== null) return;
      event.preventDefault();
      field.focus();
    };
    addEventListener("keydown", search);
    return () => removeEventListener("keydown", search);
  }, []);
  return h(
    "div",
    { class: "shell" },
    h("a", { class: "skip", href: "#main", onClick: focusMain }, "Skip to content"),
    h(TopBar, { session, current: room?.within ?? id }),
    h(Announced, { words: placeName, pause: 0 }),
    h(ConnectionBanner, null),
    h(PastBanner, null),
    h(
      "main",
      { id: "main", class: "main", tabIndex: -1 },
      h(RoomView, { key: `${id} ${tree} ${at}`, room, path }),
      h(Menus, null),
    ),
    h(UploadPanel, null),
    h(Jobs, null),
    h(Toasts, null),
    h(Dialogs, null),
    h(KeysHelp, null),
  );
}

/** The fragment of the address says where the person is, so the link cannot name the element. */
function focusMain(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function RoomView({ room, path }: { readonly room: Room | undefined; readonly path: string }) {
  if (room === undefined) {
    return h(Notice, { icon: "question", title: "Page not found", isPage: true });
  }
  if (holdsNothing()) {
    return h(
      Notice,
      { icon: "shield", title: "You may do nothing here yet", isPage: true },
      h("p", null, "You are signed in. Ask an administrator of this server to give you a role."),
    );
  }
  const { ofHost = false, privilege } = room;
  if (ofHost ? holds(privilege) : may(privilege)) return h(room.view, { path });
  return h(
    Notice,
    {
      icon: "shield",
      title: `Your credential does not permit ${room.title.toLowerCase()}`,
      isPage: true,
    },
    h("p", null, "It needs the privilege ", h("code", null, privilege), "."),
    ofHost && h("p", null, "It is about the host: a privilege in a shared tree does not suffice."),
  );
}

function TopBar(
  { session, current }: { session: ConsoleSession; current: string },
): ComponentChild {
  return h(
    "header",
    { class: "top" },
    h(
      "a",
      { class: "brand", href: linkWith("files", "", {}) },
      h(Icon, { name: "shield" }),
      "strongroom",
    ),
    h(
      "nav",
      { "aria-label": "Rooms" },
      ROOMS.filter(({ within, isOffered }) => within === undefined && isOffered?.() !== false).map((
        { id, title, icon },
      ) =>
        h(
          "a",
          {
            key: id,
            href: linkWith(id, "", {}),
            ...(id === current && { "aria-current": "page" }),
          },
          h(Icon, { name: icon }),
          title,
        )
      ),
    ),
    h(TreeChoice, { session }),
    h(DensityButton, null),
    h(Button, {
      label: "Sign out",
      icon: "signOut",
      iconOnly: true,
      kind: "quiet",
      onClick: () => {
        signOut().catch((error) => toast(messageOf(error), { isError: true }));
      },
    }),
  );
}

function ConnectionBanner(): ComponentChild {
  if (useStore(connection) !== "lost") return null;
  return h(
    "div",
    { class: "banner", role: "status" },
    h("span", { class: "spinner", "aria-hidden": "true" }),
    "No connection to the server. Trying again…",
  );
}
