import { type ComponentChild, h } from "preact";
import { Icon, type IconName } from "./icon.ts";

export interface ButtonProps {
  readonly label: string;
  readonly icon?: IconName;
  readonly kind?: "plain" | "primary" | "danger" | "quiet";
  /** Whether only the icon is shown, with the label for screen readers and as a tooltip. */
  readonly iconOnly?: boolean;
  readonly disabled?: boolean | undefined;
  readonly onClick?: ((event: MouseEvent) => void) | undefined;
  readonly type?: "button" | "submit";
  readonly pressed?: boolean;
  /** Whether what it shows and hides is shown. */
  readonly expanded?: boolean;
  /** Whether it opens a menu. */
  readonly hasMenu?: boolean;
  readonly tabIndex?: number;
  /** What the label is about, for screen readers: buttons of a table have the same label. */
  readonly describes?: string;
}

export function Button(props: ButtonProps): ComponentChild {
  const { label, icon, kind = "plain", iconOnly = false, type = "button", pressed } = props;
  return h(
    "button",
    {
      type,
      class: `button button-${kind}${iconOnly ? " button-icon" : ""}`,
      disabled: props.disabled ?? false,
      onClick: props.onClick,
      ...(pressed !== undefined && { "aria-pressed": pressed }),
      ...(props.expanded !== undefined && { "aria-expanded": props.expanded }),
      // Where there is little room, only the icon is seen.
      ...(icon !== undefined && { title: label }),
      ...(props.hasMenu === true && { "aria-haspopup": "menu" }),
      ...(props.tabIndex !== undefined && { tabIndex: props.tabIndex }),
      ...(iconOnly && { "aria-label": label }),
      ...(props.describes !== undefined && { "aria-label": `${label} ${props.describes}` }),
    },
    icon !== undefined && h(Icon, { name: icon }),
    !iconOnly && h("span", null, label),
  );
}
