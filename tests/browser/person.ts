/** People who work with the console without a pointer, and find what is there by roles and names. */

import * as assert from "node:assert/strict";
import type { CDPSession, Locator, Page } from "playwright-core";
import * as v from "valibot";
import { until } from "../support/until.ts";

export type Role =
  | "button"
  | "combobox"
  | "grid"
  | "heading"
  | "link"
  | "main"
  | "menuitem"
  | "searchbox"
  | "textbox";

export interface Person {
  readonly page: Page;
  /** Uses a button, a link or a line of a menu. */
  use(role: Role, name: string): Promise<void>;
  /** Writes into a field, in place of what is in it. */
  write(role: "searchbox" | "textbox", name: string, text: string): Promise<void>;
  /** Opens an entry of the list. */
  open(entry: string): Promise<void>;
  /** Chooses what to do with an entry of the list. */
  choose(entry: string, action: string): Promise<void>;
  /** Takes back what was done last. */
  undo(): Promise<void>;
  /** Waits until the page says something. */
  hears(text: string): Promise<void>;
  /** Waits until something of a role, with a name that contains the text, has the focus. */
  isAt(role: Role, name?: string): Promise<void>;
}

/** Where the focus is, and what of it can be seen. */
const Focus = v.object({ what: v.string(), isSeen: v.boolean() });
const FOCUS = `(() => {
  const it = document.activeElement;
  const { left, right, top, bottom } = it.getBoundingClientRect();
  const inner = [Math.max(1, left + 2), Math.max(1, top + 2)];
  const outer = [Math.min(innerWidth - 1, right - 2), Math.min(innerHeight - 1, bottom - 2)];
  const middle = [(inner[0] + outer[0]) / 2, (inner[1] + outer[1]) / 2];
  // A part of it that nothing covers suffices.
  const isAt = ([x, y]) => {
    const top = document.elementFromPoint(x, y);
    return top !== null && (it.contains(top) || top.contains(it) && top !== document.body);
  };
  return {
    what: it.outerHTML.slice(0, 200),
    isSeen: it !== document.body && it.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
      [inner, middle, outer].some(isAt),
  };
})()`;

/** Asserts that the focus is on something that is seen. */
export async function assertFocusSeen(page: Page): Promise<void> {
  const { what, isSeen } = v.parse(Focus, await page.evaluate(FOCUS));
  assert.ok(isSeen, `The focus is on ${what}`);
}

/** More stops of the focus than any page of the console has. */
const MAX_STOPS = 200;

/** Who has a keyboard only: goes from one control to the next until the wanted one has the focus. */
export class KeyboardPerson implements Person {
  constructor(readonly page: Page) {}

  async use(role: Role, name: string): Promise<void> {
    await this.#goTo(role, name);
    await this.page.keyboard.press("Enter");
  }

  async write(role: Role, name: string, text: string): Promise<void> {
    await this.#goTo(role, name);
    await this.page.keyboard.press("Control+a");
    await this.page.keyboard.type(text);
  }

  async open(entry: string): Promise<void> {
    await this.#goToEntry(entry);
    await this.page.keyboard.press("Enter");
  }

  async choose(entry: string, action: string): Promise<void> {
    const { keyboard } = this.page;
    await this.#goToEntry(entry);
    await keyboard.press("Shift+F10");
    await this.isAt("menuitem", "Open");
    for (let stop = 0; !await this.#has("menuitem", action); stop++) {
      assert.ok(stop < MAX_STOPS, `${action} is not in the menu`);
      await keyboard.press("ArrowDown");
      await assertFocusSeen(this.page);
    }
    await keyboard.press("Enter");
  }

  async undo(): Promise<void> {
    await this.page.keyboard.press("Control+z");
  }

  async hears(text: string): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  async isAt(role: Role, name = ""): Promise<void> {
    const { page } = this;
    const wanted = role === "textbox"
      ? page.getByLabel(name)
      : page.getByRole(role, name === "" ? {} : { name });
    try {
      await wanted.and(page.locator(":focus")).waitFor();
    } catch (cause) {
      const { what } = v.parse(Focus, await page.evaluate(FOCUS));
      throw new Error(`The focus is not on ${role} “${name}”, but on ${what}`, { cause });
    }
    await assertFocusSeen(page);
  }

  /** A field for secrets has no role. */
  #found(role: Role, name: string): Locator {
    return role === "textbox"
      ? this.page.getByLabel(name, { exact: true })
      : this.page.getByRole(role, { name, exact: true });
  }

  async #has(role: Role, name: string): Promise<boolean> {
    const wanted = this.#found(role, name);
    return await wanted.and(this.page.locator(":focus")).count() === 1;
  }

  async #goTo(role: Role, name: string): Promise<void> {
    await this.#found(role, name).first().waitFor();
    for (let stop = 0; !await this.#has(role, name); stop++) {
      assert.ok(stop < MAX_STOPS, `${role} “${name}” cannot be reached`);
      await this.page.keyboard.press("Tab");
      // Beyond the last control of a page are those of the browser.
      const isInPage = await this.page.evaluate<boolean>(
        "document.activeElement !== document.body",
      );
      if (isInPage) await assertFocusSeen(this.page);
    }
  }

  async #goToEntry(entry: string): Promise<void> {
    const { keyboard } = this.page;
    const isActive = () =>
      this.page.evaluate<boolean>(`
        document.getElementById(document.activeElement.getAttribute("aria-activedescendant"))
          ?.querySelector(".name").textContent === ${JSON.stringify(entry)}
      `);
    const grid = this.page.getByRole("grid");
    await grid.getByText(entry, { exact: true }).waitFor();
    const name = await grid.getAttribute("aria-label") ?? "";
    await this.#goTo("grid", name);
    await keyboard.press("Home");
    for (let stop = 0; !await isActive(); stop++) {
      assert.ok(stop < MAX_STOPS, `“${entry}” is not in the list`);
      await keyboard.press("ArrowDown");
    }
  }
}

const AxNode = v.object({
  ignored: v.boolean(),
  role: v.optional(v.object({ value: v.string() })),
  name: v.optional(v.object({ value: v.string() })),
  properties: v.optional(
    v.array(v.object({ name: v.string(), value: v.object({ value: v.optional(v.unknown()) }) })),
  ),
  backendDOMNodeId: v.optional(v.number()),
});
const Tree = v.object({ nodes: v.array(AxNode) });
type Node = v.InferOutput<typeof AxNode>;

/** Who has what the tree of accessibility says only, as screen readers do, and has things do what they do. */
export class TreePerson implements Person {
  private constructor(readonly page: Page, readonly session: CDPSession) {}

  static async at(page: Page): Promise<TreePerson> {
    return new TreePerson(page, await page.context().newCDPSession(page));
  }

  async use(role: Role, name: string): Promise<void> {
    await this.#act(await this.#find(role, name), "this.focus(); this.click();");
  }

  async write(role: Role, name: string, text: string): Promise<void> {
    await this.#act(await this.#find(role, name), "this.focus(); this.select();");
    await this.page.keyboard.insertText(text);
  }

  async open(entry: string): Promise<void> {
    await this.use("link", entry);
  }

  async choose(entry: string, action: string): Promise<void> {
    await this.use("button", `Actions for ${entry}`);
    await this.use("menuitem", action);
  }

  async undo(): Promise<void> {
    await this.use("button", "Undo");
  }

  async hears(text: string): Promise<void> {
    await this.#wait(`“${text}”`, (node) => nameOf(node).includes(text));
  }

  async isAt(role: Role, name = ""): Promise<void> {
    const isFocused = ({ properties = [] }: Node) =>
      properties.some((it) => it.name === "focused" && it.value.value === true);
    await this.#wait(
      `the focus on ${role} “${name}”`,
      (node) => node.role?.value === role && nameOf(node).includes(name) && isFocused(node),
    );
    await assertFocusSeen(this.page);
  }

  #find(role: Role, name: string): Promise<Node> {
    return this.#wait(
      `${role} “${name}”`,
      (node) => node.role?.value === role && nameOf(node) === name,
    );
  }

  async #wait(what: string, isWanted: (node: Node) => boolean): Promise<Node> {
    let found: Node | undefined;
    let seen: string[] = [];
    try {
      await until(async () => {
        const { nodes } = v.parse(Tree, await this.session.send("Accessibility.getFullAXTree"));
        const shown = nodes.filter(({ ignored }) => !ignored);
        seen = shown.map((node) => `${node.role?.value} ${nameOf(node)}`);
        // The newest message is the last one.
        found = shown.findLast(isWanted);
        return found !== undefined;
      });
    } catch (cause) {
      throw new Error(`${what} is not in the tree:\n${seen.join("\n")}`, { cause });
    }
    assert.ok(found);
    return found;
  }

  async #act({ backendDOMNodeId: backendNodeId }: Node, work: string): Promise<void> {
    assert.ok(backendNodeId !== undefined);
    const { object: { objectId } } = await this.session.send("DOM.resolveNode", { backendNodeId });
    assert.ok(objectId !== undefined);
    await this.session.send("Runtime.callFunctionOn", {
      objectId,
      functionDeclaration: `function () { ${work} }`,
      userGesture: true,
    });
  }
}

function nameOf({ name }: Node): string {
  return name?.value ?? "";
}
