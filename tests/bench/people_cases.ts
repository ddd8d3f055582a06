import { Buffer } from "node:buffer";
import { readJwtSecret } from "../../storage/disk/jwt_secret.ts";
import { TestAuthenticator } from "../support/authenticator.ts";
import { ChildServer } from "../support/child_server.ts";
import { Client, dataOf } from "../support/client.ts";
import { inviteTo, TestConsole } from "../support/console.ts";
import { mintToken } from "../support/server.ts";
import { type Case, compareRates, MB, scaled, spread } from "./measures.ts";

const PEOPLE = scaled(10_000);
const TEAMS = scaled(1000);
/** The teams of a person. */
const OWN_TEAMS = 5;
const FEW = 10;
const CLIENTS = 8;
const REQUESTS = 2000;
/** Numbers that the server gives to nobody. */
const FIRST = 100_000;
const READ = ["resources.view", "resources.download"];

/** A server with people in teams, each with a credential that is bound to what the person may do. */
async function houseOf(dataDir: string, people: number, teams: number) {
  await using parts = new AsyncDisposableStack();
  await Deno.mkdir(dataDir, { mode: 0o700 });
  await Deno.writeTextFile(`${dataDir}/strongroom.toml`, rolesFile(teams));
  const server = parts.use(
    await ChildServer.start({
      dataDir,
      // Each sign-in comes from an address of its own.
      env: { STRONGROOM_TRUSTED_PROXIES: "127.0.0.1" },
    }),
  );
  const admin = await server.as(1, ["users.admin", "resources.admin"]);
  const before = await memory(server);
  await addAll(admin, people, teams);
  const secret = await readJwtSecret(dataDir);
  const tokens: string[] = [];
  for (let person = 0; person < people; person++) {
    const trees = treesOf(person, teams);
    const claims = { userId: FIRST + person, privileges: READ, trees };
    tokens.push(await mintToken({ ...claims, isBound: true, ...secret && { secret } }));
  }
  /** Lists a tree of a team, for the first of its people in turn. */
  const list = (count: number) => {
    let sent = 0;
    return async () => {
      const person = sent++ % count;
      const client = new Client(admin.url, tokens[person] ?? "");
      dataOf(await client.inTree(teamOf(person, 0, teams)).send("GET", "/resources/"));
    };
  };
  const kept = parts.move();
  return { server, admin, before, list, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** Cases about many people, who are in teams. */
export const PEOPLE_CASES: readonly Case[] = [
  {
    name: "people: 10 000, in 1 000 teams",
    async measure({ directory }) {
      await using many = await houseOf(`${directory}/many`, PEOPLE, TEAMS);
      await using few = await houseOf(`${directory}/few`, FEW, FEW);
      const { server, admin, before } = many;
      const rates = await compareRates({ count: REQUESTS, clients: CLIENTS }, {
        [`${FEW} of ${PEOPLE}`]: many.list(FEW),
        [`${FEW} of ${FEW}`]: few.list(FEW),
        [`${PEOPLE} of ${PEOPLE}`]: many.list(PEOPLE),
      });
      const after = await memory(server);
      const signIns = await compareRates(
        { count: REQUESTS, clients: CLIENTS },
        { strongroom: await signingIn(server, admin) },
      );
      return {
        comparisons: [
          {
            title: `lists of a team's tree, by ${CLIENTS} clients, for people in turn`,
            unit: "/s",
            values: rates,
          },
        ],
        notes: [
          `sign-ins by passkey, by ${CLIENTS} clients: ${spread(signIns.strongroom ?? [], 0)} /s`,
          `resident memory: ${before} MB at the start, ${after} MB after all have asked, ` +
          `${await memory(server)} MB after the sign-ins`,
        ],
      };
    },
  },
];

/** A role for each team: it may read there. */
function rolesFile(teams: number): string {
  const role = (team: number) =>
    `[roles.team-${team}]\nprivileges = ["view"]\ntrees = { team-${team} = ["view", "download"] }\n`;
  return Array.from({ length: teams }, (_, team) => role(team)).join("");
}

function teamOf(person: number, index: number, teams: number): string {
  return `team-${(person * 7 + index * 31) % teams}`;
}

/** The claim of a credential that names a tree more than the person has. */
function treesOf(person: number, teams: number): Record<string, readonly string[]> {
  const first = Number(teamOf(person, 0, teams).slice("team-".length));
  return { [FIRST - 1 - first]: READ };
}

async function addAll(admin: Client, people: number, teams: number): Promise<void> {
  const add = async (count: number, path: string, bodyOf: (index: number) => unknown) => {
    let next = 0;
    await Promise.all(Array.from({ length: CLIENTS }, async () => {
      while (next < count) dataOf(await admin.json("POST", path, bodyOf(next++)));
    }));
  };
  await add(teams, "/teams/", (team) => ({ name: `team-${team}`, number: FIRST - 1 - team }));
  await add(people, "/users/", (person) => ({
    name: `person-${person}`,
    number: FIRST + person,
    groups: Array.from({ length: OWN_TEAMS }, (_, index) => teamOf(person, index, teams)),
  }));
}

/** What signs people in by their passkeys, each from an address of its own. */
async function signingIn(server: ChildServer, admin: Client): Promise<() => Promise<void>> {
  const holders = await Promise.all(Array.from({ length: CLIENTS }, async (_, index) => {
    const key = new TestAuthenticator();
    await new TestConsole(server).accept(await inviteTo(admin, `person-${index}`), key);
    return key;
  }));
  let sent = 0;
  return async () => {
    const key = holders.shift();
    if (key === undefined) throw new Error("There are more clients than people");
    const browser = new TestConsole(server);
    const address = Buffer.alloc(4);
    address.writeUInt32BE(0x0a000000 + sent++);
    const headers = { "X-Forwarded-For": address.join(".") };
    const { options, step } = await browser.ask("POST", "/sign-in/passkey", undefined, headers);
    const response = key.get(options, browser);
    await browser.ask("POST", "/sign-in/passkey/answer", { step, response }, headers);
    holders.push(key);
  };
}

/** The resident memory of a server now, in MB. */
async function memory({ pid }: ChildServer): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024 / MB);
}
