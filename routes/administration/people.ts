import type { Context } from "hono";
import { isoTime } from "../../core/entries.ts";
import { personDetails, personEntry } from "../../core/people/entries.ts";
import { invitationUrl, invite } from "../../core/people/invitations.ts";
import { addPerson, changePerson, findPerson } from "../../core/people/people.ts";
import type { PeopleStore, Person, PersonKind } from "../../core/people/store.ts";
import { NewTeamRequest, NewUserRequest, TeamChange, UserChange } from "../../schemas/people.ts";
import type { InvitationEntry } from "../../schemas/sign_in.ts";
import { PAGE } from "../../schemas/queries.ts";
import { success } from "../reply/envelope.ts";
import { jsonBody } from "../request/body.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { integerOf, parseQuery } from "../request/query.ts";
import { auditChange } from "../serving/audit.ts";
import { callerOf } from "../serving/auth.ts";
import type { Services } from "../serving/route.ts";

type Handled = Context<AppEnvironment>;

/** `GET /users/` and `GET /teams/`: by name (C 27). */
export async function getPeople(
  c: Handled,
  people: PeopleStore,
  kind: PersonKind,
): Promise<Response> {
  const query = parseQuery(c.req.url);
  const found = await people.list({
    kind,
    limit: integerOf(query, "limit", PAGE.limit) ?? PAGE.limit.default,
    after: query.get("after")?.[0]?.toLowerCase(),
  });
  return success(c, { items: found.map(personEntry), total: found.length });
}

/** `GET /users/{named}` and `GET /teams/{named}`. */
export async function getPerson(
  c: Handled,
  people: PeopleStore,
  kind: PersonKind,
): Promise<Response> {
  return success(c, personEntry(await findPerson(people, kind, named(c))));
}

/** `POST /users/`. */
export async function postUser(c: Handled, people: PeopleStore): Promise<Response> {
  const { name, email, groups, number } = await jsonBody(c.req.raw, NewUserRequest);
  auditChange(c, { paths: [], details: { name } });
  const kind = "person";
  return added(
    c,
    await addPerson(people, {
      ...{ kind, name, groups },
      email: email ?? undefined,
      number: number ?? undefined,
    }),
  );
}

/** `POST /users/{named}/invitations`: a link by which the person makes a passkey (C 27). */
export async function postInvitation(
  c: Handled,
  { people, passkeys, publicUrl }: Pick<Services, "people" | "passkeys" | "publicUrl">,
): Promise<Response> {
  auditChange(c, { paths: [], details: { of: named(c) } });
  const person = await findPerson(people, "person", named(c));
  const { token, expiresAt } = await invite(passkeys.store, person);
  auditChange(c, { paths: [], tree: person.number, details: { name: person.name } });
  const entry: InvitationEntry = {
    url: invitationUrl(publicUrl.for(c), token),
    expires_at: isoTime(expiresAt),
  };
  return success(c, entry);
}

/** `POST /teams/`. */
export async function postTeam(c: Handled, people: PeopleStore): Promise<Response> {
  const { name, number } = await jsonBody(c.req.raw, NewTeamRequest);
  auditChange(c, { paths: [], details: { name } });
  return added(c, await addPerson(people, { kind: "team", name, number: number ?? undefined }));
}

/** `PATCH /users/{named}`. */
export async function patchUser(c: Handled, people: PeopleStore): Promise<Response> {
  return await changed(c, people, "person", await jsonBody(c.req.raw, UserChange));
}

/** `PATCH /teams/{named}`. */
export async function patchTeam(c: Handled, people: PeopleStore): Promise<Response> {
  return await changed(c, people, "team", await jsonBody(c.req.raw, TeamChange));
}

function added(c: Handled, person: Person): Response {
  auditChange(c, { paths: [], tree: person.number, details: personDetails(person) });
  return success(c, personEntry(person));
}

async function changed(
  c: Handled,
  people: PeopleStore,
  kind: PersonKind,
  change: Parameters<typeof changePerson>[1]["change"],
): Promise<Response> {
  auditChange(c, { paths: [], details: { of: named(c) } });
  const by = callerOf(c).userId;
  const person = await changePerson(people, { kind, named: named(c), change, by });
  auditChange(c, { paths: [], tree: person.number, details: personDetails(person) });
  return success(c, personEntry(person));
}

function named(c: Handled): string {
  return c.req.param("named") ?? "";
}
