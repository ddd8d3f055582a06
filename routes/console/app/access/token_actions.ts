import { type ComponentChild, h, type TargetedEvent } from "preact";
import { useRef } from "preact/hooks";
import type { ConsoleSession } from "../../../../schemas/console.ts";
import type { TokenEntry } from "../../../../schemas/tokens.ts";
import { call } from "../shared/api.ts";
import { serverUrl } from "../shared/server_url.ts";
import { session } from "../shared/session.ts";
import { Button } from "../ui/button.ts";
import { CopiedLine } from "../ui/copied_line.ts";
import { ask } from "../ui/dialog.ts";
import { messageOf } from "../ui/states.ts";
import { toast } from "../ui/toasts.ts";
import { PRIVILEGES, TREE_PRIVILEGES } from "./privileges.ts";

/** How a credential is called: by its label, or else by its id. */
export function nameOfToken({ label, jti }: TokenEntry): string {
  return label ?? jti;
}

/** How long a new credential may last, in the words of the API. Without one, as long as the own one. */
const LIFETIMES: readonly (readonly [text: string, name: string, seconds: number])[] = [
  ["1h", "1 hour", 3600],
  ["1d", "1 day", 86_400],
  ["7d", "7 days", 7 * 86_400],
  ["30d", "30 days", 30 * 86_400],
  ["365d", "1 year", 365 * 86_400],
];

/** The forms of a credential, as `Wanted` has them. */
const FORMS = [
  ["", "Any client but those below"],
  ["short", "Clients that need it short (hf_…)"],
  ["s3", "Clients of S3: an access key"],
] as const;

/** What clients of model hubs can use. */
const USED_BY_HUBS: ReadonlySet<string> = new Set([
  "resources.view",
  "resources.upload",
  "resources.edit",
  "resources.delete",
  "resources.download",
  "mirror.use",
]);

interface Wanted {
  label: string;
  lifetime: string;
  /** For which clients it is. */
  form: typeof FORMS[number][0];
  /** By tree; the own one is the empty string. */
  readonly held: Map<string, Set<string>>;
}

/** Asks for what a credential is to permit, makes it, and shows its token. */
export function askForToken(then: () => void): void {
  const { value: state } = session;
  if (state.kind !== "signedIn") return;
  const wanted: Wanted = { label: "", lifetime: "", form: "", held: new Map() };
  ask({
    title: "New credential",
    action: "Create",
    body: () => h(TokenForm, { own: state.session, wanted }),
    run: () => make(wanted, then),
  });
}

/** Makes a credential for the client of Hugging Face, with all that it can use, and shows the line that gives it. */
export async function makeHubToken(then: () => void): Promise<void> {
  const { value: state } = session;
  if (state.kind !== "signedIn") return;
  const { session: own } = state;
  const usedIn = (tree: string) =>
    new Set(heldIn(own, tree).map(([privilege]) => privilege).filter((it) => USED_BY_HUBS.has(it)));
  const held = new Map(["", ...Object.keys(own.trees)].map((tree) => [tree, usedIn(tree)]));
  try {
    await make({ label: "hf", lifetime: "", form: "short", held }, then);
  } catch (error) {
    toast(messageOf(error), { isError: true });
  }
}

async function make(wanted: Wanted, then: () => void): Promise<void> {
  const trees = [...wanted.held].filter(([tree, names]) => tree !== "" && names.size > 0);
  const made = await call<TokenEntry & { readonly token: string }>("POST", "/tokens/", {
    inTree: false,
    json: {
      privileges: [...wanted.held.get("") ?? []],
      trees: Object.fromEntries(trees.map(([tree, names]) => [tree, [...names]])),
      ...(wanted.label.trim() !== "" && { label: wanted.label.trim() }),
      ...(wanted.lifetime !== "" && { expires_in: wanted.lifetime }),
      ...(wanted.form !== "" && { [wanted.form]: true }),
    },
  });
  then();
  showToken(made, wanted.form === "short");
}

function TokenForm(
  { own, wanted }: { readonly own: ConsoleSession; readonly wanted: Wanted },
): ComponentChild {
  // What a person makes outlives its session.
  const seconds = own.is_person ? Infinity : (Date.parse(own.expires_at) - Date.now()) / 1000;
  return [
    h(
      "label",
      { key: "label", class: "field" },
      h("span", null, "What it is for"),
      h("input", {
        type: "text",
        maxLength: 100,
        autofocus: true,
        autocomplete: "off",
        placeholder: "nightly sync",
        onInput: (event: TargetedEvent<HTMLInputElement>) =>
          wanted.label = event.currentTarget.value,
      }),
    ),
    h(Checks, { key: "own", title: "It may", tree: "", held: heldIn(own, ""), wanted }),
    Object.keys(own.trees).map((tree) =>
      h(Checks, {
        key: tree,
        title: `In the tree of ${own.tree_names[tree] ?? `user ${tree}`}, it may`,
        tree,
        held: heldIn(own, tree),
        wanted,
      })
    ),
    h(
      "label",
      { key: "lifetime", class: "field" },
      h("span", null, "It expires"),
      h(
        "select",
        {
          onChange: (event: TargetedEvent<HTMLSelectElement>) =>
            wanted.lifetime = event.currentTarget.value,
        },
        h(
          "option",
          { value: "" },
          own.is_person ? "In 90 days" : "With your credential, after a year at most",
        ),
        LIFETIMES.filter(([, , length]) => length < seconds - 60).map(([text, name]) =>
          h("option", { key: text, value: text }, `In ${name}`)
        ),
      ),
    ),
    h(
      "label",
      { key: "form", class: "field" },
      h("span", null, "For which clients"),
      h(
        "select",
        {
          onChange: (event: TargetedEvent<HTMLSelectElement>) =>
            wanted.form = FORMS.find(([form]) => form === event.currentTarget.value)?.[0] ?? "",
        },
        FORMS.map(([form, name]) => h("option", { key: form, value: form }, name)),
      ),
    ),
  ];
}

/** What the own credential permits in a tree, with the words for it. */
function heldIn({ privileges, trees }: ConsoleSession, tree: string) {
  const held = tree === "" ? privileges : trees[tree] ?? [];
  const isAll = held.includes("resources.admin");
  const known = tree === "" ? PRIVILEGES : TREE_PRIVILEGES;
  return known.filter(([privilege]) => isAll || held.includes(privilege));
}

function Checks(
  { title, tree, held, wanted }: {
    readonly title: string;
    readonly tree: string;
    readonly held: typeof PRIVILEGES;
    readonly wanted: Wanted;
  },
): ComponentChild {
  const toggle = (privilege: string, isOn: boolean) => {
    const names = wanted.held.get(tree) ?? new Set();
    if (isOn) names.add(privilege);
    else names.delete(privilege);
    wanted.held.set(tree, names);
  };
  return h(
    "fieldset",
    { class: "checks" },
    h("legend", null, title),
    held.map(([privilege, permits]) =>
      h(
        "label",
        { key: privilege, class: "check" },
        h("input", {
          type: "checkbox",
          onChange: (event: TargetedEvent<HTMLInputElement>) =>
            toggle(privilege, event.currentTarget.checked),
        }),
        permits,
      )
    ),
  );
}

function showToken(
  { token, short }: TokenEntry & { readonly token: string },
  isForHubs: boolean,
): void {
  const id = short?.access_key_id;
  const text = id === undefined ? token : `AWS_ACCESS_KEY_ID=${id}\nAWS_SECRET_ACCESS_KEY=${token}`;
  ask({
    title: "Your new credential",
    action: "Done",
    isNotice: true,
    body: () => [
      h(NewToken, { key: "token", token: text }),
      isForHubs && h("p", { key: "hf" }, "The client of Hugging Face keeps it by this line:"),
      isForHubs && h(CopiedLine, {
        key: "line",
        what: "logs hf in",
        line: `export HF_ENDPOINT=${serverUrl()}/hub HF_HUB_DISABLE_XET=1; ` +
          `hf auth login --token ${token}`,
      }),
    ],
    run: () => Promise.resolve(),
  });
}

/** A token, which is shown this once. */
function NewToken({ token }: { readonly token: string }): ComponentChild {
  const field = useRef<HTMLTextAreaElement>(null);
  const copy = async () => {
    field.current?.select();
    try {
      await navigator.clipboard.writeText(token);
      toast("Copied the credential");
    } catch {
      // Browsers offer the clipboard to pages of https and of this machine only.
      toast("It is selected: copy it by the keyboard", { isError: true });
    }
  };
  return [
    h(
      "p",
      { key: "why" },
      "It is shown only now: the server does not keep it. Who has it can do what it permits.",
    ),
    h(
      "label",
      { key: "token", class: "field" },
      h("span", null, "Token"),
      h("textarea", { ref: field, class: "token", readOnly: true, rows: 5, value: token }),
    ),
    h("p", { key: "copy" }, h(Button, { label: "Copy", icon: "copy", onClick: copy })),
  ];
}

/** Asks, and revokes a credential. */
export function askToRevokeToken(token: TokenEntry, then: () => void): void {
  ask({
    title: "Revoke the credential?",
    action: "Revoke",
    kind: "danger",
    body: () => [
      h(
        "p",
        { key: "what" },
        "“",
        h("bdi", null, nameOfToken(token)),
        "”, and those that it has made, are refused from now on.",
      ),
      token.is_current &&
      h(
        "p",
        { key: "current" },
        h("strong", null, "You are signed in with it: this signs you out."),
      ),
    ],
    run: async () => {
      await call("DELETE", `/tokens/${encodeURIComponent(token.jti)}`, { inTree: false });
      toast("Revoked the credential");
      then();
    },
  });
}
