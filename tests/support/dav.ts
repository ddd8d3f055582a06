import * as assert from "node:assert/strict";
import { parseXml, textOf, type XmlElement } from "../../routes/request/xml.ts";
import type { Client, Reply } from "./client.ts";
import type { TestServer } from "./server.ts";

/** A client of WebDAV, of a tree, with its credential as the password of Basic authentication. */
export class DavClient {
  readonly #authorization: string;
  /** The URL of the tree. */
  readonly url: string;

  /** @param tree The user whose tree it acts in. @default the client's own */
  constructor({ origin }: Pick<TestServer, "origin">, { token }: Client, tree?: number) {
    this.#authorization = `Basic ${btoa(`anyone:${token}`)}`;
    this.url = `${origin}/dav${tree === undefined ? "" : `/t/${tree}`}`;
  }

  /** Sends a request for a path, below that of the tree. Headers may have another credential. */
  async send(method: string, path = "", init: RequestInit = {}): Promise<Reply> {
    const headers = new Headers(init.headers);
    if (!headers.has("Authorization")) headers.set("Authorization", this.#authorization);
    const response = await fetch(this.address(path), { ...init, method, headers });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  /** Sends a COPY or a MOVE to another path. */
  transfer(
    method: "COPY" | "MOVE",
    path: string,
    destination: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply> {
    return this.send(method, path, {
      headers: { Destination: this.address(destination), ...headers },
    });
  }

  /** The hrefs of a PROPFIND, and below each its properties by name: their texts, and the names in them. */
  async find(path: string, depth: string, body?: string): Promise<Map<string, Properties>> {
    const reply = await this.send("PROPFIND", path, {
      headers: { Depth: depth },
      ...body !== undefined && { body },
    });
    assert.equal(reply.status, 207, reply.text);
    return await multistatusOf(reply);
  }

  /** Takes a lock, which must succeed. Returns its token. */
  async lock(path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    const reply = await this.send("LOCK", path, { body: EXCLUSIVE, headers });
    assert.match(String(reply.status), /^20[01]$/, reply.text);
    return reply.headers.get("Lock-Token")?.slice(1, -1) ?? "";
  }

  async unlock(path: string, token: string): Promise<void> {
    const headers = { "Lock-Token": `<${token}>` };
    assert.equal((await this.send("UNLOCK", path, { headers })).status, 204);
  }

  address(path: string): string {
    return `${this.url}/${path.split("/").map(encodeURIComponent).join("/")}`;
  }
}

/** The body of a LOCK. */
export const EXCLUSIVE = `<lockinfo xmlns="DAV:"><lockscope><exclusive/></lockscope>
  <locktype><write/></locktype><owner>me</owner></lockinfo>`;
export const SHARED = EXCLUSIVE.replace("exclusive", "shared");

/** Properties by name, and the status of each that is not there. */
export type Properties = Readonly<Record<string, string>>;

/** A `multistatus` by its hrefs. A property that was refused has the status as its value. */
export async function multistatusOf({ text }: Reply): Promise<Map<string, Properties>> {
  const root = await parseXml(new TextEncoder().encode(text));
  return new Map(
    childrenOf(root, "response").map((response) => {
      const properties: Record<string, string> = {};
      for (const propstat of childrenOf(response, "propstat")) {
        const status = childrenOf(propstat, "status").map(textOf).join().split(" ")[1] ?? "";
        for (const property of childrenOf(propstat, "prop").flatMap(({ children }) => children)) {
          if (typeof property === "string") continue;
          properties[property.name] = status === "200" ? contentOf(property) : status;
        }
      }
      return [childrenOf(response, "href").map(textOf).join(), properties];
    }),
  );
}

function contentOf(element: XmlElement): string {
  return element.children.map((it) => typeof it === "string" ? it : `<${it.name}>`).join("");
}

function childrenOf({ children }: XmlElement, name: string): XmlElement[] {
  return children.filter((it) => typeof it !== "string").filter((it) => it.name === name);
}
