import * as operations from "../openapi/people.ts";
import type { Route } from "../serving/route.ts";
import {
  getPeople,
  getPerson,
  patchTeam,
  patchUser,
  postInvitation,
  postTeam,
  postUser,
} from "./people.ts";

const ADMIN = { privilege: "users.admin" } as const;

/** The routes of people and teams (C 27). */
export const PEOPLE_ROUTES: readonly Route[] = [
  {
    ...ADMIN,
    method: "GET",
    path: "/users",
    operation: operations.LIST_USERS,
    handle: (c, { people }) => getPeople(c, people, "person"),
  },
  {
    ...ADMIN,
    method: "POST",
    path: "/users",
    action: "users.add",
    operation: operations.ADD_USER,
    handle: (c, { people }) => postUser(c, people),
  },
  {
    ...ADMIN,
    method: "GET",
    path: "/users/{named}",
    operation: operations.FIND_USER,
    handle: (c, { people }) => getPerson(c, people, "person"),
  },
  {
    ...ADMIN,
    method: "PATCH",
    path: "/users/{named}",
    action: "users.change",
    operation: operations.CHANGE_USER,
    handle: (c, { people }) => patchUser(c, people),
  },
  {
    ...ADMIN,
    method: "POST",
    path: "/users/{named}/invitations",
    action: "users.invite",
    operation: operations.INVITE_USER,
    handle: postInvitation,
  },
  {
    ...ADMIN,
    method: "GET",
    path: "/teams",
    operation: operations.LIST_TEAMS,
    handle: (c, { people }) => getPeople(c, people, "team"),
  },
  {
    ...ADMIN,
    method: "POST",
    path: "/teams",
    action: "teams.add",
    operation: operations.ADD_TEAM,
    handle: (c, { people }) => postTeam(c, people),
  },
  {
    ...ADMIN,
    method: "GET",
    path: "/teams/{named}",
    operation: operations.FIND_TEAM,
    handle: (c, { people }) => getPerson(c, people, "team"),
  },
  {
    ...ADMIN,
    method: "PATCH",
    path: "/teams/{named}",
    action: "teams.change",
    operation: operations.CHANGE_TEAM,
    handle: (c, { people }) => patchTeam(c, people),
  },
];
