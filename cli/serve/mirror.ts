import type { AuditLog } from "../../core/audit.ts";
import type { Caller } from "../../core/caller.ts";
import { AskedFiles } from "../../core/mirror/asked_files.ts";
import { Fetches } from "../../core/mirror/fetches.ts";
import type { Mirror } from "../../core/mirror/files.ts";
import type { MirrorParts } from "../../core/mirror/mirror.ts";
import type { ScanEarly, Upstream } from "../../core/mirror/ports.ts";
import { PolicyJudge } from "../../core/mirror/policy_judge.ts";
import { MirrorRevisions } from "../../core/mirror/revisions.ts";
import { MirrorSpace } from "../../core/mirror/space.ts";
import { MirrorTotals } from "../../core/mirror/totals.ts";
import { Gate } from "../../core/gate.ts";
import { TreeRules } from "../../core/policy/tree_rules.ts";
import { acceptedBy } from "../../core/scans/accepted_verdicts.ts";
import type { PeopleStore } from "../../core/people/store.ts";
import { BundleCache } from "../../core/signatures/bundle_cache.ts";
import type { Tree } from "../../core/tree/changes.ts";
import { mirrorAuthorities } from "../../schemas/mirror_settings.ts";
import type { Settings } from "../../schemas/settings.ts";
import { MIB } from "../../schemas/units.ts";
import type { Storage } from "../../storage/stores/storage.ts";
import { HubUpstream, type HubUpstreamOptions } from "../../storage/upstream/hub_upstream.ts";
import { type RequestOptions, UpstreamRequests } from "../../storage/upstream/requests.ts";
import { SpoolFiles } from "../../storage/upstream/spool_files.ts";
import type { CurrentRules } from "./gate.ts";

/** The team whose tree has mirrored files (C 28). */
const TEAM = "mirror";
const PRIVILEGES = ["view", "upload", "edit", "delete", "download"];

/** How requests to the other hub are made. A test shortens what they wait for. */
export interface UpstreamOptions
  extends HubUpstreamOptions, Partial<Omit<RequestOptions, "token" | "authorities">> {
  /** How long a reader of a file that comes in may get nothing, in milliseconds. */
  readonly keepAliveMs?: number;
  /** How long a file waits before it is forgotten if nobody asks for it, in milliseconds. */
  readonly unaskedMs?: number;
  /** How long a request waits for the other hub while its last answer is known, in milliseconds. */
  readonly promptMs?: number;
}

/** What the mirror of a server works with. */
export interface MirrorComponents extends CurrentRules {
  readonly storage: Storage;
  readonly settings: Settings;
  readonly audit: AuditLog;
}

/**
 * The number of the team whose tree has mirrored files. It is added at the first start with a mirror.
 *
 * @throws {Error} when a person has its name.
 */
export async function mirrorTeam(people: PeopleStore): Promise<number> {
  const added = await people.add({
    ...{ kind: "team", name: TEAM, groups: [], email: undefined, identity: undefined },
    createdAt: Date.now(),
  });
  const team = typeof added === "object" ? added : await people.findByName(TEAM);
  if (team?.kind === "team") return team.number;
  throw new Error(`STRONGROOM_MIRROR_URL needs the team ${TEAM}, but a person has this name`);
}

/** Where another hub is, without the name and the password that its URL may have. */
function addressOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.replace(/\/$/, "")}`;
}

/** The mirror of another hub, if the settings name one. `parts` disposes of it. */
export function composeMirror(
  parts: AsyncDisposableStack,
  { storage: { records, blobs }, settings, audit, policy, signers }: MirrorComponents,
  { tree, team, scanEarly, options }: {
    readonly tree: Tree;
    readonly scanEarly: ScanEarly | undefined;
    /** The number of {@link mirrorTeam}. */
    readonly team: number | undefined;
    readonly options: UpstreamOptions;
  },
): Mirror | undefined {
  const { mirrorUrl, mirrorMaxBytes, mirrorRate, mirrorFresh, diskReserveMb, dataDir } = settings;
  if (mirrorUrl === undefined || team === undefined) return undefined;
  const judged: MirrorParts = {
    // The space of the mirror has bounds of its own.
    tree: {
      ...tree,
      reserved: undefined,
      // It is judged before it comes in, as what it is.
      policy: undefined,
      gate: tree.gate && new Gate(
        tree.verdicts,
        acceptedBy(settings),
        policy && new TreeRules(policy, { mirror: team, isMirror: true }),
      ),
      limits: {
        ...tree.limits,
        userQuota: undefined,
        maxUploadFileSize: Number.MAX_SAFE_INTEGER,
        maxUploadTotalSize: Number.MAX_SAFE_INTEGER,
      },
    },
    caller: callerOfTeam(team),
    url: addressOf(mirrorUrl),
    upstream: upstreamOf(mirrorUrl, settings, options),
    store: records.mirror,
    audit,
    own: new Set(settings.ownNamespaces?.map((name) => name.toLowerCase())),
    totals: new MirrorTotals(),
  };
  const rules = policy && new PolicyJudge({
    current: policy,
    parts: judged,
    bundles: signers && new BundleCache(signers),
  });
  const own = { ...judged, judge: rules?.judge };
  const maxBytes = mirrorMaxBytes ??
    (blobs.room === undefined ? Infinity : blobs.room.diskBytes / 2);
  const space = new MirrorSpace(own, maxBytes);
  const fetches = new Fetches(own, {
    spools: new SpoolFiles(dataDir, diskReserveMb * MIB),
    space,
    // With the gate off, no reader waits for a verdict.
    scanEarly: tree.gate && scanEarly,
    maxRate: mirrorRate,
    keepAliveMs: options.keepAliveMs,
    retryMs: options.retryMs,
    unaskedMs: options.unaskedMs,
  });
  return {
    ...own,
    ...{ rules, space },
    asked: new AskedFiles(own),
    revisions: new MirrorRevisions(own, {
      freshMs: mirrorFresh,
      promptMs: options.promptMs,
    }),
    fetches: parts.use(fetches),
  };
}

function upstreamOf(url: string, settings: Settings, options: UpstreamOptions): Upstream {
  const requests = new UpstreamRequests(url, {
    ...options,
    token: settings.mirrorToken,
    authorities: mirrorAuthorities(settings),
  });
  return new HubUpstream(requests, options);
}

function callerOfTeam(userId: number): Caller {
  return {
    userId,
    privileges: new Set(PRIVILEGES.map((name) => `resources.${name}`)),
    expiresAt: Infinity,
  };
}
