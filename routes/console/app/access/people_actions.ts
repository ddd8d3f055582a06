import { h, type TargetedEvent } from "preact";
import type { UserEntry } from "../../../../schemas/people.ts";
import type { InvitationEntry } from "../../../../schemas/sign_in.ts";
import { call } from "../shared/api.ts";
import { time } from "../shared/format.ts";
import { CopiedLine } from "../ui/copied_line.ts";
import { ask } from "../ui/dialog.ts";
import { messageOf } from "../ui/states.ts";
import { toast } from "../ui/toasts.ts";

/** Asks for a new person, and shows the link that invites it. */
export function askForPerson(then: () => void): void {
  const wanted = { name: "", groups: "members" };
  const field = (title: string, name: keyof typeof wanted, isRequired: boolean) =>
    h(
      "label",
      { key: name, class: "field" },
      h("span", null, title),
      h("input", {
        type: "text",
        required: isRequired,
        maxLength: 200,
        autofocus: isRequired,
        autocomplete: "off",
        spellcheck: false,
        defaultValue: wanted[name],
        onInput: (event: TargetedEvent<HTMLInputElement>) =>
          wanted[name] = event.currentTarget.value,
      }),
    );
  ask({
    title: "Invite somebody",
    action: "Invite",
    body: () => [
      field("Name", "name", true),
      field("Groups, with commas between them", "groups", false),
    ],
    run: async () => {
      const groups = wanted.groups.split(",").map((group) => group.trim()).filter((it) =>
        it !== ""
      );
      const json = { name: wanted.name.trim(), groups };
      const { name } = await call<UserEntry>("POST", "/users/", { inTree: false, json });
      then();
      await invite(name);
    },
  });
}

/** Invites a person, and shows the link. */
export async function invite(name: string): Promise<void> {
  try {
    const address = `/users/${encodeURIComponent(name)}/invitations`;
    const { url, expires_at: end } = await call<InvitationEntry>("POST", address, {
      inTree: false,
    });
    ask({
      title: `The invitation of ${name}`,
      action: "Done",
      isNotice: true,
      body: () => [
        h(
          "p",
          { key: "why" },
          "Send this link to nobody else: who opens it first makes a passkey for this person. It is shown once, " +
            `and counts until ${time(end)}.`,
        ),
        h(CopiedLine, { key: "link", line: url, what: "invites" }),
      ],
      run: () => Promise.resolve(),
    });
  } catch (error) {
    toast(messageOf(error), { isError: true });
  }
}

/** Asks whether a person is to be disabled, or enabled again. */
export function askToChange({ name }: UserEntry, disabled: boolean, then: () => void): void {
  ask({
    title: `${disabled ? "Disable" : "Enable"} ${name}?`,
    action: disabled ? "Disable" : "Enable",
    kind: disabled ? "danger" : "primary",
    body: () =>
      h(
        "p",
        null,
        disabled
          ? "Its sessions, credentials and links end at once. Its files stay."
          : "It may sign in again. What has ended does not come back.",
      ),
    run: async () => {
      await call("PATCH", `/users/${encodeURIComponent(name)}`, {
        inTree: false,
        json: { disabled },
      });
      toast(`${disabled ? "Disabled" : "Enabled"} ${name}`);
      then();
    },
  });
}
