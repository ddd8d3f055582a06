import { type ComponentChild, h } from "preact";
import type { UserEntry } from "../../../../schemas/people.ts";
import { ownTree } from "../shared/session.ts";
import { Ago } from "../ui/ago.ts";
import { Button } from "../ui/button.ts";
import { Card } from "../ui/pairs.ts";
import { useRefresh } from "../ui/refresh.ts";
import { Rows } from "../ui/rows.ts";
import { PagedList, pagesOf, usePaged } from "../ui/paged.ts";
import { askForPerson, askToChange, invite } from "./people_actions.ts";

/** The people of the server (C 27). */
export function PeopleCard(): ComponentChild {
  const people = usePaged(
    pagesOf<UserEntry>("/users/", ({ name }) => name, { inTree: false, cursor: "after" }),
  );
  useRefresh(people);
  return h(
    Card,
    {
      title: "People",
      actions: h(Button, {
        label: "Invite somebody",
        icon: "plus",
        onClick: () => askForPerson(people.reload),
      }),
    },
    h(PagedList<UserEntry>, {
      paged: people,
      what: "people",
      empty: "Nobody is known by name.",
      children: (items) =>
        h(Rows<UserEntry>, {
          label: "People",
          rows: items,
          keyOf: ({ number }) => number,
          columns: [
            {
              title: "Name",
              cell: ({ name, number, disabled_at: end }) => [
                h("bdi", { key: "name" }, name),
                h("div", { key: "number", class: "muted" }, `User ${number}`),
                end !== null &&
                h("div", { key: "end", class: "muted" }, "Disabled ", h(Ago, { at: end })),
              ],
            },
            { title: "Groups", cell: ({ groups }) => groups.join(", ") },
            {
              title: "Change",
              cell: (person) => actionsOf(person, people.reload),
            },
          ],
        }),
    }),
  );
}

function actionsOf(person: UserEntry, reload: () => void): ComponentChild {
  const { name, number, disabled_at: end } = person;
  if (end !== null) {
    return h(Button, {
      label: "Enable",
      describes: name,
      onClick: () => askToChange(person, false, reload),
    });
  }
  return h(
    "div",
    { class: "buttons" },
    h(Button, {
      label: "Invite again",
      describes: name,
      onClick: () => void invite(name),
    }),
    number !== ownTree() && h(Button, {
      label: "Disable",
      describes: name,
      onClick: () => askToChange(person, true, reload),
    }),
  );
}
