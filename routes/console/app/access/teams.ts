import { type ComponentChild, h } from "preact";
import type { TeamEntry } from "../../../../schemas/people.ts";
import { call } from "../shared/api.ts";
import { Button } from "../ui/button.ts";
import { askText } from "../ui/dialog.ts";
import { PagedList, pagesOf, usePaged } from "../ui/paged.ts";
import { Card } from "../ui/pairs.ts";
import { useRefresh } from "../ui/refresh.ts";
import { Rows } from "../ui/rows.ts";
import { toast } from "../ui/toasts.ts";

/** The teams of the server, and their numbers (C 27). Who may use their trees is in the file of rules. */
export function TeamsCard(): ComponentChild {
  const teams = usePaged(
    pagesOf<TeamEntry>("/teams/", ({ name }) => name, { inTree: false, cursor: "after" }),
  );
  useRefresh(teams);
  return h(
    Card,
    {
      title: "Teams",
      actions: h(Button, {
        label: "New team",
        icon: "plus",
        onClick: () => askForTeam(teams.reload),
      }),
    },
    h(PagedList<TeamEntry>, {
      paged: teams,
      what: "teams",
      empty: "There are no teams.",
      children: (items) =>
        h(Rows<TeamEntry>, {
          label: "Teams",
          rows: items,
          keyOf: ({ number }) => number,
          columns: [
            {
              title: "Name",
              cell: ({ name, number }) => [
                h("bdi", { key: "name" }, name),
                h("div", { key: "number", class: "muted" }, `User ${number}`),
              ],
            },
            {
              title: "Change",
              cell: (team) =>
                h(Button, {
                  label: "Rename",
                  describes: team.name,
                  onClick: () => askToRenameTeam(team, teams.reload),
                }),
            },
          ],
        }),
    }),
  );
}

function askForTeam(then: () => void): void {
  askText({
    title: "New team",
    label: "Name",
    action: "Create",
    run: async (typed) => {
      const json = { name: typed.trim() };
      const { name } = await call<TeamEntry>("POST", "/teams/", { inTree: false, json });
      toast(`Created “${name}”. Roles in strongroom.toml say who may use its tree.`);
      then();
    },
  });
}

function askToRenameTeam({ name }: TeamEntry, then: () => void): void {
  askText({
    title: `Rename “${name}”`,
    label: "New name",
    action: "Rename",
    value: name,
    run: async (typed) => {
      const address = `/teams/${encodeURIComponent(name)}`;
      await call("PATCH", address, { inTree: false, json: { name: typed.trim() } });
      toast(`Renamed to “${typed.trim()}”`);
      then();
    },
  });
}
