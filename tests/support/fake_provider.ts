/** A provider of OpenID Connect that answers as a test wants. */

import * as jose from "jose";

/** What its answers are made of. */
export interface Answers {
  /** Changes the claims of the ID token. */
  claims?: (claims: jose.JWTPayload) => jose.JWTPayload;
  /** Makes the token of the claims. @default signed with the key of the provider */
  token?: (claims: jose.JWTPayload) => Promise<string> | string;
  /** What it says in place of tokens. */
  refusal?: Readonly<Record<string, string>>;
}

export class FakeProvider implements AsyncDisposable {
  readonly #server = this.#serve();
  readonly #other = this.#serve();
  readonly #codes = new Map<string, { readonly nonce: string; readonly challenge: string }>();
  #key: CryptoKey;
  #jwk: jose.JWK;
  answers: Answers = {};
  /** The secrets that its clients have sent. */
  readonly authorizations: string[] = [];
  /** What it says of itself besides. */
  metadata: Readonly<Record<string, unknown>> = {};

  private constructor({ privateKey }: jose.GenerateKeyPairResult, jwk: jose.JWK) {
    this.#key = privateKey;
    this.#jwk = jwk;
  }

  #serve(): Deno.HttpServer<Deno.NetAddr> {
    return Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      (request) => this.#answer(request),
    );
  }

  static async start(): Promise<FakeProvider> {
    const pair = await jose.generateKeyPair("RS256");
    return new FakeProvider(pair, await published(pair, "first"));
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** Another address of it, where endpoints can be. */
  get elsewhere(): string {
    return `http://127.0.0.1:${this.#other.addr.port}`;
  }

  /** Has a person sign in. Returns what it adds to the address that the browser goes back to. */
  signIn(url: string): URLSearchParams {
    const asked = new URL(url).searchParams;
    const code = crypto.randomUUID();
    const [nonce, challenge] = [asked.get("nonce") ?? "", asked.get("code_challenge") ?? ""];
    this.#codes.set(code, { nonce, challenge });
    return new URLSearchParams({ code, state: asked.get("state") ?? "" });
  }

  /** Replaces its key. */
  async rotate(): Promise<void> {
    const pair = await jose.generateKeyPair("RS256");
    this.#key = pair.privateKey;
    this.#jwk = await published(pair, "second");
  }

  /** A token with its signature. */
  sign(claims: jose.JWTPayload): Promise<string> {
    return new jose.SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: this.#jwk.kid ?? "" })
      .sign(this.#key);
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    switch (pathname) {
      case "/.well-known/openid-configuration":
        return Response.json({
          issuer: this.issuer,
          authorization_endpoint: `${this.issuer}/auth`,
          token_endpoint: `${this.issuer}/token`,
          jwks_uri: `${this.issuer}/keys`,
          response_types_supported: ["code"],
          id_token_signing_alg_values_supported: ["RS256"],
          ...this.metadata,
        });
      case "/auth": {
        const back = new URL(new URL(request.url).searchParams.get("redirect_uri") ?? "");
        back.search = this.signIn(request.url).toString();
        return Response.redirect(back);
      }
      case "/keys":
        return Response.json({ keys: [this.#jwk] });
      case "/token":
        return await this.#token(request);
      default:
        return new Response(null, { status: 404 });
    }
  }

  async #token(request: Request): Promise<Response> {
    this.authorizations.push(request.headers.get("Authorization") ?? "");
    const form = new URLSearchParams(await request.text());
    const code = form.get("code") ?? "";
    const known = this.#codes.get(code);
    this.#codes.delete(code);
    const verifier = new TextEncoder().encode(form.get("code_verifier") ?? "");
    const challenge = new Uint8Array(await crypto.subtle.digest("SHA-256", verifier));
    if (known?.challenge !== challenge.toBase64({ alphabet: "base64url", omitPadding: true })) {
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    }
    if (this.answers.refusal) return Response.json(this.answers.refusal, { status: 401 });
    const now = Math.floor(Date.now() / 1000);
    const { claims = (it) => it, token = (it) => this.sign(it) } = this.answers;
    const said = claims({
      iss: this.issuer,
      aud: "strongroom",
      sub: "ana",
      nonce: known.nonce,
      iat: now,
      exp: now + 300,
      sid: "sid-1",
      preferred_username: "Ana",
      email: "ana@example.org",
      groups: ["vision"],
    });
    return Response.json({
      access_token: "none",
      token_type: "Bearer",
      id_token: await token(said),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#server.shutdown(), this.#other.shutdown()]);
  }
}

async function published({ publicKey }: jose.GenerateKeyPairResult, kid: string) {
  return { ...await jose.exportJWK(publicKey), kid, alg: "RS256", use: "sig" };
}
