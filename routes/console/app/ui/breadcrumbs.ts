import { type ComponentChild, h } from "preact";
import { linkTo } from "../shared/router.ts";
import { Icon } from "./icon.ts";

/** Where the person is, each folder above as a link to the room at it. */
export function Breadcrumbs(
  { room, path, isHeading = false, linkProps }: {
    readonly room: string;
    readonly path: string;
    /** Whether the last one is the heading of the page. @default false */
    readonly isHeading?: boolean;
    /** What the link to a folder has besides. @default nothing */
    readonly linkProps?: (path: string) => object;
  },
): ComponentChild {
  const segments = path === "" ? [] : path.split("/");
  const crumbs = ["", ...segments].map((name, index) => ({
    name: index === 0 ? "Top folder" : name,
    path: segments.slice(0, index).join("/"),
  }));
  return h(
    "nav",
    { class: "crumbs", "aria-label": "Folders above" },
    h(
      "ol",
      null,
      crumbs.map((crumb, index) =>
        h(
          "li",
          { key: crumb.path },
          index > 0 && h(Icon, { name: "chevron" }),
          index === crumbs.length - 1
            ? h(
              isHeading ? "h1" : "strong",
              { "aria-current": "page" },
              h("bdi", null, crumb.name),
            )
            : h(
              "a",
              { href: linkTo(room, crumb.path), ...linkProps?.(crumb.path) },
              h("bdi", null, crumb.name),
            ),
        )
      ),
    ),
  );
}
