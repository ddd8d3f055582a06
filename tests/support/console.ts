/** A browser with the console, as far as the server sees one. */

import * as assert from "node:assert/strict";
import * as v from "valibot";
import { UserEntry } from "../../schemas/people.ts";
import { InvitationEntry } from "../../schemas/sign_in.ts";
import type { TestAuthenticator } from "./authenticator.ts";
import type { Client } from "./client.ts";
import { dataOf } from "./client.ts";
import type { TestServer } from "./server.ts";

/** A reply of the console's own routes. */
export interface ConsoleReply {
  readonly status: number;
  readonly code: string | undefined;
  readonly msg: string;
  // deno-lint-ignore no-explicit-any -- Tests look into it.
  readonly data: any;
}

export class TestConsole {
  readonly #server: Pick<TestServer, "origin">;
  /** What the browser keeps. */
  cookie = "";
  /** The session that the page was loaded in. */
  session = "none";

  constructor(server: Pick<TestServer, "origin">) {
    this.#server = server;
  }

  get origin(): string {
    return this.#server.origin;
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ConsoleReply> {
    const response = await fetch(`${this.origin}/console${path}`, {
      method,
      redirect: "manual",
      headers: {
        "X-Strongroom-Console": this.session,
        ...(this.cookie !== "" && { Cookie: this.cookie }),
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    for (const set of response.headers.getSetCookie()) [this.cookie = ""] = set.split(";");
    const text = await response.text();
    const { code, msg = "", data } = text.startsWith("{") ? JSON.parse(text) : {};
    return { status: response.status, code, msg, data };
  }

  /** Sends a request that succeeds, and returns its data. */
  async ask(...given: Parameters<TestConsole["send"]>) {
    const { status, msg, data } = await this.send(...given);
    assert.equal(status, 200, msg);
    return data;
  }

  /** Whether the session of the browser is open. */
  async isSignedIn(): Promise<boolean> {
    return (await this.send("GET", "/session")).status === 200;
  }

  /** Accepts an invitation with a passkey of an authenticator. */
  async accept(
    url: string,
    authenticator: TestAuthenticator,
    label = "a key",
  ): Promise<ConsoleReply> {
    const token = tokenIn(url);
    const { options, step } = await this.ask("POST", "/invitation", { token });
    const response = authenticator.create(options, this);
    return this.#entered(
      await this.send("POST", "/invitation/answer", { token, step, label, response }),
    );
  }

  /** Signs in with the passkey of an authenticator. */
  async signIn(authenticator: TestAuthenticator): Promise<ConsoleReply> {
    const { options, step } = await this.ask("POST", "/sign-in/passkey");
    const response = authenticator.get(options, this);
    return this.#entered(await this.send("POST", "/sign-in/passkey/answer", { step, response }));
  }

  #entered(reply: ConsoleReply): ConsoleReply {
    if (reply.status === 200) this.session = reply.data.name;
    return reply;
  }
}

/** A browser that goes to the provider and comes back. */
export class ProviderBrowser extends TestConsole {
  /** Where the browser is to go. */
  async begin(): Promise<string> {
    return String((await this.ask("POST", "/sign-in/provider")).url);
  }

  /** Comes back. Returns where the console sends the browser, without its path. */
  async comeBack(answer: URLSearchParams): Promise<string> {
    const response = await fetch(`${this.origin}/console/sign-in/provider/callback?${answer}`, {
      redirect: "manual",
      headers: { Cookie: this.cookie, "Sec-Fetch-Site": "cross-site" },
    });
    await response.body?.cancel();
    assert.equal(response.status, 302);
    for (const set of response.headers.getSetCookie()) [this.cookie = ""] = set.split(";");
    const target = response.headers.get("Location") ?? "";
    if (target === "/") this.session = (await this.ask("GET", "/session")).name;
    return target;
  }
}

/** The token in the address of an invitation. */
export function tokenIn(url: string): string {
  return url.slice(url.lastIndexOf("/") + 1);
}

/** Adds a person. Returns its number. */
export async function addPerson(
  admin: Client,
  name: string,
  groups: readonly string[] = ["members"],
): Promise<number> {
  const added = dataOf(await admin.json("POST", "/users/", { name, groups }));
  return v.parse(UserEntry, added).number;
}

/** Invites a person. Returns the address of the invitation. */
export async function inviteTo(admin: Client, name: string): Promise<string> {
  const made = dataOf(await admin.send("POST", `/users/${name}/invitations`));
  return v.parse(InvitationEntry, made).url;
}
