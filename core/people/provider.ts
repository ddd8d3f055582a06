import * as jose from "jose";
import * as client from "openid-client";
import * as v from "valibot";
import { MAX_GROUPS } from "../../schemas/people.ts";
import type { ProviderStep } from "../../schemas/sign_in.ts";
import { urlAuthority } from "../../schemas/url_authority.ts";
import { AppError } from "../errors.ts";
import { RemoteKeys } from "../remote_keys.ts";
import type { Identity } from "./store.ts";

/** How long a request to the provider may take, in seconds. */
const TIMEOUT_S = 10;
/** How long what the provider says of itself is used, in milliseconds. */
const MAX_AGE_MS = 60 * 60_000;
/** The leeway for the clocks, in seconds. */
const LEEWAY_S = 30;
/** What a token says that ends sessions (OpenID Connect Back-Channel Logout, 2.4). */
const LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout";
/** The algorithms of a token that ends sessions: keys of the provider alone verify them. */
const ALGORITHMS = ["RS256", "PS256", "ES256", "ES384", "EdDSA", "Ed25519"];
/** The endpoints that the server asks itself. */
const ASKED = ["token_endpoint", "jwks_uri", "userinfo_endpoint"] as const;
/** Others may have written it. */
const MAX_REASON_LENGTH = 500;
/** An access token is no credential here: scopes only name what is said of the person. */
const SCOPES = ["openid", "profile", "email"];

export interface ProviderOptions {
  /** The URL of the provider, as its tokens name it. */
  readonly issuer: string;
  /** Hosts, with their ports, where its endpoints may be besides that of the issuer. */
  readonly hosts: readonly string[];
  readonly clientId: string;
  /** @default the provider knows none: it is a public client */
  readonly clientSecret?: string | undefined;
  /** The claim that has the groups of a person. */
  readonly groupsClaim: string;
}

/** Who has signed in by the provider. */
export interface ProviderPerson {
  readonly identity: Identity;
  /** What the provider calls its session. */
  readonly session: string | undefined;
  readonly email: string | undefined;
  /** What the person may be called, as the provider says it. */
  readonly names: readonly string[];
  readonly groups: readonly string[];
}

/** Whose sessions are to end: of a person, of one session of the provider, or both. */
export interface ProviderLogout {
  readonly identity: Identity | undefined;
  readonly session: string | undefined;
}

const Claims = v.looseObject({
  sub: v.string(),
  sid: v.optional(v.string()),
  email: v.fallback(v.optional(v.pipe(v.string(), v.maxLength(254))), undefined),
  preferred_username: v.fallback(v.optional(v.string()), undefined),
});

const LogoutClaims = v.object({
  sub: v.optional(v.string()),
  sid: v.optional(v.string()),
  events: v.looseObject({ [LOGOUT_EVENT]: v.looseObject({}) }),
  nonce: v.optional(v.undefined()),
});

const Groups = v.pipe(
  v.union([v.array(v.string()), v.pipe(v.string(), v.transform((one) => [one]))]),
  v.transform((groups) => groups.filter((it) => /^[^\p{Cc}\p{Cs}]{1,200}$/u.test(it))),
  v.maxLength(MAX_GROUPS),
);

interface Known {
  readonly configuration: client.Configuration;
  readonly keys: RemoteKeys | undefined;
  readonly at: number;
}

/** Signs people in by OpenID Connect: the code flow with PKCE, state and nonce (C 27). */
export class Provider {
  readonly #options: ProviderOptions;
  #known: Promise<Known> | undefined;

  constructor(options: ProviderOptions) {
    this.#options = options;
  }

  /** The address of the provider, for people. */
  get host(): string {
    return new URL(this.#options.issuer).host;
  }

  /**
   * Where the browser is to go, and what must be known when it comes back.
   *
   * @throws {AppError} `ErrUnavailable` when the provider cannot be reached.
   */
  async begin(redirectUri: string): Promise<{ readonly url: string; readonly step: ProviderStep }> {
    const { configuration } = await this.#find();
    const step = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    };
    const { scopes_supported: scopes = [] } = configuration.serverMetadata();
    const asked = scopes.includes("groups") ? [...SCOPES, "groups"] : SCOPES;
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: asked.join(" "),
      state: step.state,
      nonce: step.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(step.verifier),
      code_challenge_method: "S256",
    });
    return { url: url.href, step };
  }

  /**
   * Who has signed in, by what the browser brings back.
   *
   * @param address Where it has come back to, with what the provider has added.
   * @throws {AppError} `ErrAuthRequired` when any of it is not as it must be, `ErrUnavailable` when the provider
   *   cannot be reached.
   */
  async finish(
    address: URL,
    { state, nonce, verifier }: ProviderStep,
  ): Promise<ProviderPerson> {
    const { configuration } = await this.#find();
    const { issuer, groupsClaim } = this.#options;
    const answered = async () => {
      const tokens = await client.authorizationCodeGrant(configuration, address, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new TypeError("There is no id_token");
      const { userinfo_endpoint: more } = configuration.serverMetadata();
      // Many providers keep tokens small, and say the rest when they are asked.
      if (claims[groupsClaim] !== undefined || more === undefined) return claims;
      const info = await client.fetchUserInfo(configuration, tokens.access_token, claims.sub);
      return { ...info, ...claims };
    };
    const claims = v.parse(Claims, await refusing(answered));
    const groups = v.safeParse(Groups, claims[groupsClaim] ?? []);
    if (!groups.success) throw refused(`the claim ${groupsClaim} is not a list of names`);
    const { sub: subject, sid: session, email, preferred_username: name } = claims;
    return {
      identity: { issuer, subject },
      session,
      email: email !== undefined && /^[^\s\p{Cc}@]+@[^\s\p{Cc}@]+$/u.test(email)
        ? email
        : undefined,
      names: [name, email?.split("@")[0]].filter((it) => it !== undefined),
      groups: groups.output,
    };
  }

  /**
   * Whose sessions the provider ends (OpenID Connect Back-Channel Logout).
   *
   * @throws {AppError} `ErrAuthRequired` when the token is not the provider's, or says something else.
   */
  async logout(token: string): Promise<ProviderLogout> {
    const { keys } = await this.#find();
    const { issuer, clientId: audience } = this.#options;
    if (keys === undefined) throw refused("it publishes no keys");
    const { payload } = await refusing(() =>
      jose.jwtVerify(token, keys.find, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: LEEWAY_S,
        maxTokenAge: 300,
        requiredClaims: ["iat", "jti", "events"],
      })
    );
    const claims = v.safeParse(LogoutClaims, payload);
    if (!claims.success) throw refused("the token ends no session");
    const { sub: subject, sid: session } = claims.output;
    if (subject === undefined && session === undefined) throw refused("the token names no session");
    return { identity: subject === undefined ? undefined : { issuer, subject }, session };
  }

  /** What the provider says of itself. The last that is known is used while it cannot be reached. */
  async #find(): Promise<Known> {
    const former = await this.#known?.catch(() => undefined);
    if (former !== undefined && performance.now() - former.at < MAX_AGE_MS) return former;
    try {
      return await (this.#known = this.#discover());
    } catch (error) {
      this.#known = former && Promise.resolve(former);
      if (former !== undefined) return former;
      throw new AppError(
        "ErrUnavailable",
        "The provider that people sign in by cannot be reached",
        { cause: error },
      );
    }
  }

  async #discover(): Promise<Known> {
    const { issuer, clientId, clientSecret } = this.#options;
    const server = new URL(issuer);
    const configuration = await client.discovery(
      server,
      clientId,
      { [client.clockTolerance]: LEEWAY_S },
      clientSecret === undefined ? client.None() : withSecret(clientSecret),
      {
        timeout: TIMEOUT_S,
        execute: [
          // Tokens count by their signatures, not by the connection that they came over.
          client.enableNonRepudiationChecks,
          ...server.protocol === "http:" ? [client.allowInsecureRequests] : [],
        ],
      },
    );
    const { jwks_uri: url } = this.#requireKnownHosts(configuration.serverMetadata());
    const keys = url === undefined ? undefined : new RemoteKeys({ url });
    return { configuration, keys, at: performance.now() };
  }

  /**
   * Endpoints elsewhere are not asked: what a provider says of itself does not extend what the server may reach.
   *
   * @throws {Error} when one of them is at a host that nobody has named.
   */
  #requireKnownHosts(metadata: client.ServerMetadata): client.ServerMetadata {
    const { issuer, hosts } = this.#options;
    const known = new Set([urlAuthority(issuer), ...hosts]);
    for (const name of ASKED) {
      const url = metadata[name];
      if (url === undefined || known.has(urlAuthority(url))) continue;
      throw new Error(`Its ${name} is at ${urlAuthority(url)}: name that in STRONGROOM_OIDC_HOSTS`);
    }
    return metadata;
  }
}

/** Sends the secret as the provider takes it. */
function withSecret(secret: string): client.ClientAuth {
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const { token_endpoint_auth_methods_supported: methods = ["client_secret_basic"] } = server;
    return (methods.includes("client_secret_basic") ? basic : post)(server, ...rest);
  };
}

/** Why the provider was of no use, in words for the operator: without codes, tokens and secrets. */
export function reasonOf(error: Error): string {
  const { cause, message } = error;
  const isRefusal = error instanceof client.ResponseBodyError ||
    error instanceof client.AuthorizationResponseError;
  const own = isRefusal ? [message, error.error, error.error_description] : [message];
  const all = cause instanceof Error ? [...own, reasonOf(cause)] : own;
  return all.filter((it) => it !== undefined).join(": ").slice(0, MAX_REASON_LENGTH);
}

/** The libraries throw errors of many kinds for answers that are wrong. */
async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw refused("its answer is not valid", error);
  }
}

function refused(reason: string, cause?: unknown): AppError {
  return new AppError("ErrAuthRequired", `Cannot sign in by the provider: ${reason}`, { cause });
}
