/** A browser at a provider of sign-ins, with its cookies and forms. */

/** A page of the provider, or where else the browser is sent. */
export interface At {
  readonly url: string;
  readonly page?: string;
}

export class AtProvider {
  readonly #cookies = new Map<string, string>();

  /** Follows redirects within the provider. */
  async go(url: string, form?: Readonly<Record<string, string>>): Promise<At> {
    const { origin } = new URL(url);
    let response = await this.#send(url, form);
    let at = url;
    while (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      at = new URL(response.headers.get("Location") ?? "", at).href;
      if (new URL(at).origin !== origin) return { url: at };
      response = await this.#send(at);
    }
    return { url: at, page: await response.text() };
  }

  /** Sends the first form of a page, with what it hides and what is entered. */
  async submit({ url, page = "" }: At, entered: Readonly<Record<string, string>>): Promise<At> {
    const form = /<form[^>]*>[^]*?<\/form>/.exec(page)?.[0];
    if (form === undefined) throw new Error(`There is no form at ${url}: ${page}`);
    const action = /^<form[^>]* action="([^"]+)"/.exec(form)?.[1]?.replaceAll("&amp;", "&") ?? url;
    const hidden = form.matchAll(
      /<input[^>]* type="hidden"[^>]* name="([^"]+)"[^>]* value="([^"]*)"/g,
    );
    const values = Object.fromEntries(
      Array.from(hidden, ([, name = "", value = ""]) => [name, value]),
    );
    return await this.go(new URL(action, url).href, { ...values, ...entered });
  }

  async #send(url: string, form?: Readonly<Record<string, string>>): Promise<Response> {
    const response = await fetch(url, {
      redirect: "manual",
      headers: { Cookie: [...this.#cookies].map((pair) => pair.join("=")).join("; ") },
      ...(form && { method: "POST", body: new URLSearchParams(form) }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value === "") this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return response;
  }
}
