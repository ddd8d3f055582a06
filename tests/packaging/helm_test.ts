import * as assert from "node:assert/strict";
import * as v from "valibot";
import {
  readSettings,
  SECRET_VARIABLES,
  SETTING_VARIABLES,
  type Settings,
} from "../../schemas/settings.ts";
import { ROOT } from "../support/child_server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram, type ProgramOutput, pythonWith, run } from "../support/tools.ts";
import { HAS_YAML, readYamlFile } from "../support/yaml.ts";

const CHART = `${ROOT}packaging/helm/strongroom`;
const HAS_HELM = await hasProgram("helm", "version");
const validator = await pythonWith("kubernetes_validate");

/** The oldest version that the chart is for, and a later one. */
const VERSIONS = ["1.27", "1.33"];

const CONTENT = "contentUrl=s3://models/strongroom?endpoint=https://s3.example&region=eu-1";
/** Everything that is optional. */
const ALL = [
  ...["--set", "autoscaling.enabled=true", "--set", "autoscaling.capacityLevel=true"],
  ...["--set", "serviceMonitor.enabled=true", "--set", "serviceMonitor.tokenSecret.name=metrics"],
  ...[
    "--set",
    "secret.keys.s3SessionToken=session",
    "--set",
    "secret.keys.databaseDirectUrl=direct",
    "--set",
    "secret.keys.jwtSecretPrevious=former",
    "--set",
    "secret.keys.oidcClientSecret=provider",
    "--set",
    "secret.keys.mirrorToken=hub",
  ],
  ...[
    "--set",
    "settings.STRONGROOM_GATE=block",
    "--set-string",
    "settings.STRONGROOM_SCRUB_DAYS=7",
  ],
  ...[
    "--set",
    "podAnnotations.a=b",
    "--set",
    "nodeSelector.a=b",
    "--set",
    "imagePullSecrets[0].name=c",
  ],
];

/** Keys of the store are lent for a token of the service account. */
const WEB_IDENTITY = [
  ...["--set", "s3.credentials=web-identity", "--set", "s3.roleArn=arn:aws:iam::1:role/strongroom"],
];

function helm(command: "lint" | "template", options: readonly string[]): Promise<ProgramOutput> {
  const names = command === "lint" ? [CHART] : ["fleet", CHART];
  return run("helm", [command, ...names, "--kube-version=v1.27.0", ...options]);
}

/** Renders the chart into a file. */
async function rendered(directory: string, options: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await helm("template", ["--set", CONTENT, ...options]);
  assert.equal(code, 0, stderr);
  const path = `${directory}/rendered.yaml`;
  await Deno.writeTextFile(path, stdout);
  return path;
}

const Deployment = v.looseObject({
  kind: v.literal("Deployment"),
  spec: v.looseObject({
    strategy: v.looseObject({ rollingUpdate: v.looseObject({ maxUnavailable: v.literal(0) }) }),
    template: v.looseObject({
      spec: v.looseObject({
        automountServiceAccountToken: v.literal(false),
        enableServiceLinks: v.literal(false),
        terminationGracePeriodSeconds: v.number(),
        containers: v.tuple([v.looseObject({
          env: v.array(v.strictObject({ name: v.string(), value: v.string() })),
          startupProbe: v.looseObject({ httpGet: v.looseObject({ path: v.literal("/healthz") }) }),
          livenessProbe: v.looseObject({ httpGet: v.looseObject({ path: v.literal("/healthz") }) }),
          readinessProbe: v.looseObject({ httpGet: v.looseObject({ path: v.literal("/readyz") }) }),
          securityContext: v.strictObject({
            allowPrivilegeEscalation: v.literal(false),
            readOnlyRootFilesystem: v.literal(true),
            capabilities: v.strictObject({ drop: v.tuple([v.literal("ALL")]) }),
          }),
          volumeMounts: v.array(v.looseObject({ name: v.string(), mountPath: v.string() })),
        })]),
        volumes: v.array(v.looseObject({
          name: v.string(),
          secret: v.optional(v.looseObject({
            items: v.array(v.strictObject({ key: v.string(), path: v.string() })),
          })),
          projected: v.optional(v.looseObject({ sources: v.array(v.unknown()) })),
        })),
      }),
    }),
  }),
});

/** The pods of the chart. */
async function podsOf(options: readonly string[]) {
  await using directory = await TempDir.make();
  const documents = await readYamlFile(await rendered(directory.path, options));
  const { spec } = v.parse(Deployment, documents.find((it) => v.is(Deployment, it))).spec.template;
  return { documents, spec };
}

/** What each file of a secret has: any of them may be a URL. */
const ANY_SECRET = "postgres://user:password@db.example/strongroom";

/** The settings of a server of the chart. */
function settingsOf({ containers }: Awaited<ReturnType<typeof podsOf>>["spec"]): Settings {
  const variables = new Map(containers[0].env.map(({ name, value }) => [name, value]));
  return readSettings((name) =>
    SECRET_VARIABLES.has(name) && variables.has(`${name}_FILE`) ? ANY_SECRET : variables.get(name)
  );
}

Deno.test({
  name: "C 31 the chart is sound, and refuses values that it does not know",
  ignore: !HAS_HELM,
  async fn() {
    for (const options of [[], ALL, WEB_IDENTITY]) {
      const { code, stdout } = await helm("lint", ["--strict", "--set", CONTENT, ...options]);
      assert.equal(code, 0, stdout);
    }
    const refused: [string[], RegExp][] = [
      [[], /contentUrl/],
      [["--set", CONTENT, "--set", "replica=3"], /replica/],
      [["--set", CONTENT, "--set", "settings.STRONGROOM_JWT_SECRET=x"], /JWT_SECRET/],
      [["--set", CONTENT, "--set", "settings.GATE=block"], /GATE/],
      [["--set", CONTENT, "--set", "serviceMonitor.enabled=true"], /tokenSecret\.name/],
      [["--set", CONTENT, "--set", "s3.credentials=web-identity"], /s3\.roleArn/],
      [["--set", CONTENT, "--set", "settings.STRONGROOM_S3_ROLE_ARN=x"], /S3_ROLE_ARN/],
    ];
    for (const [options, message] of refused) {
      const { code, stderr } = await helm("template", options);
      assert.deepEqual([code, message.test(stderr)], [1, true], stderr);
    }
    const { version } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`));
    const chart = await Deno.readTextFile(`${CHART}/Chart.yaml`);
    assert.deepEqual(chart.match(/^(?:appV|v)ersion: .*$/gm), [
      `version: ${version}`,
      `appVersion: ${version}`,
    ]);
  },
});

Deno.test({
  name: "C 31 manifests of the chart give servers settings that there are, and no secret",
  ignore: !HAS_HELM || !HAS_YAML,
  async fn() {
    const { documents, spec } = await podsOf(ALL);
    const kinds = documents.map((it) => v.parse(v.looseObject({ kind: v.string() }), it).kind);
    assert.deepEqual(kinds.sort(), [
      "Deployment",
      "HorizontalPodAutoscaler",
      "NetworkPolicy",
      "PodDisruptionBudget",
      "Service",
      "ServiceAccount",
      "ServiceMonitor",
    ]);
    const variables = new Map(spec.containers[0].env.map(({ name, value }) => [name, value]));
    assert.deepEqual([...variables.keys()].filter((it) => !SETTING_VARIABLES.includes(it)), []);
    for (const name of SECRET_VARIABLES) assert.ok(!variables.has(name), name);
    const files = spec.volumes.flatMap(({ secret }) => secret?.items ?? []);
    const named = [...variables].filter(([name]) => name.endsWith("_FILE"));
    assert.equal(named.length, SECRET_VARIABLES.size);
    assert.deepEqual(
      files.map(({ path }) => `/etc/strongroom/${path}`).sort(),
      named.map(([, path]) => path).sort(),
    );
    const seconds = (name: string) => Number(variables.get(name)?.replace("s", ""));
    const least = seconds("STRONGROOM_DRAIN") + seconds("STRONGROOM_GRACE");
    assert.ok(spec.terminationGracePeriodSeconds > least + 5);
  },
});

Deno.test({
  name: "C 31 the chart has servers sign by keys, by the role of a node, or by a web identity",
  ignore: !HAS_HELM || !HAS_YAML,
  async fn() {
    const keys = settingsOf((await podsOf([])).spec);
    assert.equal(keys.s3Credentials, "keys");
    assert.equal(keys.s3SecretKey, ANY_SECRET);
    const instance = settingsOf((await podsOf(["--set", "s3.credentials=instance"])).spec);
    assert.deepEqual([instance.s3Credentials, instance.s3SecretKey], ["instance", undefined]);
    const { spec } = await podsOf([...WEB_IDENTITY, "--set", "s3.stsUrl=https://sts.example"]);
    const lent = settingsOf(spec);
    assert.deepEqual(
      [lent.s3Credentials, lent.s3RoleArn, lent.s3StsUrl, lent.s3SecretKey],
      ["web-identity", "arn:aws:iam::1:role/strongroom", "https://sts.example", undefined],
    );
    const volume = spec.volumes.find(({ projected }) => projected !== undefined);
    const mount = spec.containers[0].volumeMounts.find(({ name }) => name === volume?.name);
    assert.deepEqual(volume?.projected?.sources, [
      {
        serviceAccountToken: {
          path: "token",
          audience: "sts.amazonaws.com",
          expirationSeconds: 3600,
        },
      },
    ]);
    assert.equal(lent.s3WebIdentityTokenFile, `${mount?.mountPath}/token`);
    const secrets = spec.volumes.flatMap(({ secret }) => secret?.items ?? []);
    assert.deepEqual(secrets.map(({ key }) => key), ["database-url", "jwt-secret"]);
  },
});

Deno.test({
  name: "C 31 manifests of the chart are what Kubernetes expects",
  ignore: !HAS_HELM || validator === undefined,
  async fn() {
    await using directory = await TempDir.make();
    for (const options of [[], ALL, WEB_IDENTITY]) {
      const path = await rendered(directory.path, options);
      // Kubernetes itself does not know this kind.
      const known = (await Deno.readTextFile(path)).split(/^---$/m)
        .filter((it) => !it.includes("kind: ServiceMonitor")).join("---");
      await Deno.writeTextFile(path, known);
      for (const version of VERSIONS) {
        const checked = await run(validator ?? "", [
          ...["-m", "kubernetes_validate", "--strict", "-k", version, path],
        ]);
        assert.equal(checked.code, 0, checked.stdout + checked.stderr);
      }
    }
  },
});
