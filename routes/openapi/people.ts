/** The operations on people and teams (C 27). */

import { USER_NAMED } from "../../schemas/people.ts";
import { PAGE } from "../../schemas/queries.ts";
import { TEAM, USER } from "./examples.ts";
import type { Operation } from "./operation.ts";
import { enveloped, integerQuery, type Json, jsonRequestBody, query, reference } from "./parts.ts";

/** A person or a team in an address. */
export function namedInPath(description: string, example: string): Json {
  return {
    name: "named",
    in: "path",
    required: true,
    schema: { type: "string", pattern: USER_NAMED.source },
    description,
    example,
  };
}

const USER_PATH = namedInPath("The number or the name of the person", USER.name);
const TEAM_PATH = namedInPath("The number or the name of the team", TEAM.name);

function page(things: string): Json[] {
  return [
    integerQuery("limit", PAGE.limit, `How many ${things} to list`),
    query("after", { type: "string" }, "Only those after this name: the last one of a page"),
  ];
}

export const LIST_USERS: Operation = {
  id: "listUsers",
  tag: "people",
  summary: "List people by name",
  parameters: page("people"),
  responses: { 200: enveloped("The people", reference("UserList")) },
};

export const ADD_USER: Operation = {
  id: "addUser",
  tag: "people",
  summary: "Add a person",
  description:
    "The number is one that nobody has had. A number can be given for somebody who has a tree or " +
    "credentials already.",
  requestBody: jsonRequestBody("NewUserRequest", {
    name: USER.name,
    email: USER.email,
    groups: USER.groups,
  }),
  responses: { 200: enveloped("The person", reference("User")) },
  refusals: ["ErrUsersConflict"],
};

export const FIND_USER: Operation = {
  id: "findUser",
  tag: "people",
  summary: "Find a person",
  parameters: [USER_PATH],
  responses: { 200: enveloped("The person", reference("User")) },
  refusals: ["ErrUsersNotFound"],
};

export const CHANGE_USER: Operation = {
  id: "changeUser",
  tag: "people",
  summary: "Rename a person, change its groups, disable or enable it",
  description:
    "Disabling ends the sessions, credentials and links of the person at once, on all servers, also " +
    "those of another issuer, and keeps its tree. Those that ended do not come back when it is enabled " +
    "again. A name goes on naming the person after it is renamed. Nobody can disable itself.",
  parameters: [USER_PATH],
  requestBody: jsonRequestBody("UserChange", { disabled: true }),
  responses: { 200: enveloped("The person", reference("User")) },
  refusals: ["ErrUsersNotFound", "ErrUsersConflict"],
};

export const INVITE_USER: Operation = {
  id: "inviteUser",
  tag: "people",
  summary: "Invite a person",
  description:
    "The link is for one use within 24 hours, and replaces a former one. It opens the console, where the " +
    "person makes a passkey, by which it signs in from then on. One who has lost a passkey is invited again.",
  parameters: [USER_PATH],
  responses: { 200: enveloped("The invitation", reference("Invitation")) },
  refusals: ["ErrUsersNotFound"],
};

export const LIST_TEAMS: Operation = {
  id: "listTeams",
  tag: "people",
  summary: "List teams by name",
  parameters: page("teams"),
  responses: { 200: enveloped("The teams", reference("TeamList")) },
};

export const ADD_TEAM: Operation = {
  id: "addTeam",
  tag: "people",
  summary: "Add a team",
  description: "It has a tree, and no credential: [roles] says who may use the tree.",
  requestBody: jsonRequestBody("NewTeamRequest", { name: TEAM.name }),
  responses: { 200: enveloped("The team", reference("Team")) },
  refusals: ["ErrUsersConflict"],
};

export const FIND_TEAM: Operation = {
  id: "findTeam",
  tag: "people",
  summary: "Find a team",
  parameters: [TEAM_PATH],
  responses: { 200: enveloped("The team", reference("Team")) },
  refusals: ["ErrUsersNotFound"],
};

export const CHANGE_TEAM: Operation = {
  id: "changeTeam",
  tag: "people",
  summary: "Rename a team",
  parameters: [TEAM_PATH],
  requestBody: jsonRequestBody("TeamChange", { name: "vision-lab" }),
  responses: { 200: enveloped("The team", reference("Team")) },
  refusals: ["ErrUsersNotFound", "ErrUsersConflict"],
};
