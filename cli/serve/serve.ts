import { credentialVerifier } from "../../core/credentials.ts";
import { Log } from "../../core/log.ts";
import { BASE_PATH } from "../../routes/routes.ts";
import type { RunningServer } from "../../routes/server.ts";
import type { Settings } from "../../schemas/settings.ts";
import { Storage } from "../../storage/storage.ts";
import { parseOptions } from "../arguments.ts";
import { authority, hostCapacity, loadSettings } from "../environment.ts";
import { signingKey } from "../signing_key.ts";
import { withSettingContext } from "../usage_error.ts";
import { compose, type Composition, type ServerParts } from "./compose.ts";

/** `strongroom serve`: serves until a stop signal or, if asked to, the end of stdin. */
export async function run(args: string[]): Promise<number> {
  const options = parseOptions(args, {
    "until-stdin-ends": { type: "boolean", default: false },
    "accept-damage": { type: "boolean", default: false },
  });
  const acceptDamage = options["accept-damage"];
  const settings = loadSettings();
  const log = logOf(settings);
  await using storage = await openStorage(settings, log, acceptDamage);
  const host = hostCapacity(
    settings.dataDir,
    (message) => log.warn("Invalid setting", { message }),
  );
  const { verify, findKeyProblem } = await verifierOf(settings, log);
  const parts = { host, log, verify, findKeyProblem, acceptDamage };
  await using composition = await compose(storage, settings, parts);
  const server = await listen(settings, composition);
  // Listens for signals before the log says that it serves.
  const stop = Promise.race([
    stopSignal(),
    ...options["until-stdin-ends"] ? [stdinEnd()] : [],
  ]);
  const { hostname, port } = server.address;
  log.info("Serving", {
    url: `http://${authority({ host: hostname, port })}${BASE_PATH}`,
    pid: Deno.pid,
  });
  log.info("Stopping", { signal: await stop });
  log.info("Stopped", { finished: await server.stop() });
  return 0;
}

function logOf({ logLevel, logFormat }: Settings): Log {
  const format = logFormat ?? (Deno.stderr.isTerminal() ? "text" : "json");
  return new Log({ level: logLevel, format, write: (line) => console.error(line) });
}

async function openStorage(
  { dataDir, diskReserveMb: reserveMB }: Settings,
  log: Log,
  acceptDamage: boolean,
): Promise<Storage> {
  await withSettingContext(
    "STRONGROOM_DATA_DIR",
    dataDir,
    "a directory that can be created",
    () => Deno.mkdir(dataDir, { recursive: true, mode: 0o700 }),
  );
  const storage = await Storage.open(dataDir, {
    reserveMB,
    acceptDamage,
    onFatal(error) {
      log.error("Cannot go on: the outcome of a change is unknown", { error });
      Deno.exit(1);
    },
  });
  storage.useOwnTempDirectory();
  return storage;
}

async function verifierOf(
  settings: Settings,
  log: Log,
): Promise<Pick<ServerParts, "verify" | "findKeyProblem">> {
  const { jwtIssuer: issuer, jwtAudience: audience, jwtPublicKey = "" } = settings;
  const key = await signingKey(settings, () => {
    log.info(
      "Created a secret for credentials; mint one with: strongroom token --user 1 --admin " +
        "(deno task cli token --user 1 --admin)",
    );
  });
  if (key.kind !== "publicKey") {
    const verify = await credentialVerifier({ key, issuer, audience });
    return key.kind === "jwks"
      ? { verify, findKeyProblem: () => key.keys.findProblem() }
      : { verify };
  }
  const verify = await withSettingContext(
    "STRONGROOM_JWT_PUBLIC_KEY",
    jwtPublicKey,
    "a PEM file with an RSA key of 2048 bits or more, or a P-256 or Ed25519 key",
    () => credentialVerifier({ key, issuer, audience }),
  );
  return { verify };
}

function listen(settings: Settings, composition: Composition): Promise<RunningServer> {
  const { host: hostname, port } = settings;
  return withSettingContext(
    "STRONGROOM_HOST and _PORT",
    authority(settings),
    "an address of this machine and a free port",
    () => composition.listen({ hostname, port }),
  );
}

/** The end of stdin, which is a pipe from the process that started this one. */
async function stdinEnd(): Promise<string> {
  for await (const _ of Deno.stdin.readable);
  return "end of stdin";
}

const STOP_SIGNALS = ["SIGTERM", "SIGINT", "SIGQUIT", "SIGHUP"] as const;

/** The first stop signal. From then on, another one ends the process. */
function stopSignal(): Promise<Deno.Signal> {
  const { promise, resolve } = Promise.withResolvers<Deno.Signal>();
  let stopping = false;
  for (const signal of STOP_SIGNALS) {
    Deno.addSignalListener(signal, () => {
      // A terminal that closes may send SIGHUP twice: from the shell and from the system.
      if (stopping && signal === "SIGHUP") return;
      if (stopping) Deno.exit(130);
      stopping = true;
      resolve(signal);
    });
  }
  return promise;
}
