import * as assert from "node:assert/strict";
import { describeSettings, readSettings } from "../../schemas/settings.ts";

const MIB = 2 ** 20;
const TIB = 2 ** 40;

function read(variables: Record<string, string> = {}) {
  return readSettings((name) => variables[name.replace("STRONGROOM_", "")]);
}

Deno.test("C 13 and C 6 readSettings() returns the defaults", () => {
  assert.deepEqual(read(), {
    host: "127.0.0.1",
    port: 8080,
    console: "on",
    dataDir: "./data",
    databaseUrl: undefined,
    databaseUrlFile: undefined,
    databaseDirectUrl: undefined,
    databaseDirectUrlFile: undefined,
    allowDifferent: undefined,
    contentUrl: undefined,
    s3Credentials: "keys",
    s3MetadataUrl: "http://169.254.169.254",
    s3RoleArn: undefined,
    s3StsUrl: undefined,
    s3WebIdentityTokenFile: undefined,
    s3AccessKey: undefined,
    s3AccessKeyFile: undefined,
    s3SecretKey: undefined,
    s3SecretKeyFile: undefined,
    s3SessionToken: undefined,
    s3SessionTokenFile: undefined,
    diskReserveMb: 64,
    logLevel: "info",
    logFormat: undefined,
    jwtSecret: undefined,
    jwtSecretFile: undefined,
    jwtSecretPrevious: undefined,
    jwtSecretPreviousFile: undefined,
    jwtPublicKey: undefined,
    jwksUrl: undefined,
    jwtIssuer: undefined,
    jwtAudience: undefined,
    config: undefined,
    oidcIssuer: undefined,
    oidcHosts: undefined,
    oidcClientId: undefined,
    mirrorFresh: 300_000,
    mirrorHosts: undefined,
    mirrorMaxBytes: undefined,
    mirrorRate: undefined,
    mirrorToken: undefined,
    mirrorTokenFile: undefined,
    mirrorUrl: undefined,
    ownNamespaces: undefined,
    oidcClientSecret: undefined,
    oidcClientSecretFile: undefined,
    oidcGroupsClaim: "groups",
    maxUploadFileSize: TIB,
    maxUploadFiles: 10_000,
    maxUploadTotalSize: TIB,
    maxUploadRequestSize: TIB,
    tlsCert: undefined,
    tlsKey: undefined,
    userQuota: undefined,
    uploadExpiryH: 24,
    rateLimit: undefined,
    maxQueuedScans: 1000,
    scanFileTimeoutS: 300,
    scanMaxOpcodes: 50_000_000,
    scanMaxValuesMb: 384,
    scanMaxMemberMb: 256,
    scanMaxUnpackedMb: 16_384,
    scanIsolation: "process",
    scanRetentionDays: 30,
    scrubDays: 30,
    history: 30 * 86_400_000,
    historyMaxBytes: undefined,
    gate: "off",
    gateAccept: ["clean"],
    gateUnknown: "allow",
    auditLog: "file",
    auditLogSize: 1024 ** 3,
    trustedProxies: undefined,
    grace: 60_000,
    drain: 0,
    metrics: "token",
    publicUrl: undefined,
    origin: undefined,
    corsOrigins: undefined,
  });
});

Deno.test("C 13 readSettings() accepts valid values", async (t) => {
  const cases: [string, string, string, unknown][] = [
    ["HOST", "::1", "host", "::1"],
    ["HOST", " localhost ", "host", "localhost"],
    ["HOST", "0.0.0.0", "host", "0.0.0.0"],
    ["HOST", "files-1.lab_a.example", "host", "files-1.lab_a.example"],
    ["PORT", "0", "port", 0],
    ["GATE", "block", "gate", "block"],
    ["ALLOW_DIFFERENT", "gate, secret", "allowDifferent", ["gate", "secret"]],
    ["GATE_UNKNOWN", "names", "gateUnknown", "names"],
    ["GATE_ACCEPT", "clean, inconclusive", "gateAccept", ["clean", "inconclusive"]],
    ["GRACE", "0", "grace", 0],
    ["DRAIN", "5m", "drain", 300_000],
    ["DATABASE_URL", "postgres://u:p@h/d", "drain", 5000],
    ["PORT", " 65535 ", "port", 65535],
    ["DATA_DIR", "/srv/data", "dataDir", "/srv/data"],
    ["DATA_DIR", "/srv/a b,c$d é", "dataDir", "/srv/a b,c$d é"],
    ["LOG_LEVEL", "debug", "logLevel", "debug"],
    ["LOG_FORMAT", "json", "logFormat", "json"],
    ["JWT_SECRET", "0123456701234567".repeat(2), "jwtSecret", "0123456701234567".repeat(2)],
    ["JWT_SECRET_PREVIOUS", "p".repeat(32), "jwtSecretPrevious", "p".repeat(32)],
    ["JWT_PUBLIC_KEY", "key.pem", "jwtPublicKey", "key.pem"],
    ["JWKS_URL", "https://id.example/jwks", "jwksUrl", "https://id.example/jwks"],
    ["JWKS_URL", "http://[::1]:8443/jwks?a,b", "jwksUrl", "http://[::1]:8443/jwks?a,b"],
    ["JWT_ISSUER", "us", "jwtIssuer", "us"],
    ["OIDC_HOSTS", "a.example, b.example:8443,[::1]:81", "oidcHosts", [
      "a.example:443",
      "b.example:8443",
      "[::1]:81",
    ]],
    ["JWT_AUDIENCE", "them", "jwtAudience", "them"],
    ["MAX_UPLOAD_FILE_SIZE", "1000000000", "maxUploadFileSize", 1_000_000_000],
    ["MAX_UPLOAD_FILE_SIZE", "1.5GiB", "maxUploadFileSize", 1536 * MIB],
    ["MAX_UPLOAD_FILE_SIZE", " 300 mb ", "maxUploadFileSize", 300_000_000],
    ["MAX_UPLOAD_TOTAL_SIZE", "5GB", "maxUploadTotalSize", 5_000_000_000],
    ["MAX_UPLOAD_TOTAL_SIZE", "9007199254740991", "maxUploadTotalSize", Number.MAX_SAFE_INTEGER],
    ["MAX_UPLOAD_TOTAL_SIZE", "1MiB", "maxUploadFileSize", MIB],
    ["USER_QUOTA", "300MiB", "userQuota", 300 * MIB],
    ["MAX_UPLOAD_FILES", "1", "maxUploadFiles", 1],
    ["UPLOAD_EXPIRY_H", "48", "uploadExpiryH", 48],
    ["DISK_RESERVE_MB", "0", "diskReserveMb", 0],
    ["MAX_UPLOAD_REQUEST_SIZE", "3TiB", "maxUploadRequestSize", 3 * TIB],
    ["MAX_UPLOAD_TOTAL_SIZE", "2TiB", "maxUploadRequestSize", 2 * TIB + 64 * MIB],
    ["MAX_UPLOAD_TOTAL_SIZE", "2TiB", "maxUploadFileSize", TIB],
    ["MAX_UPLOAD_TOTAL_SIZE", String(MIB), "maxUploadRequestSize", 65 * MIB],
    ["METRICS", "open", "metrics", "open"],
    ["CORS_ORIGINS", "https://a.example, http://b.example:8080", "corsOrigins", [
      "https://a.example",
      "http://b.example:8080",
    ]],
    ["CORS_ORIGINS", "*", "corsOrigins", ["*"]],
    ["PUBLIC_URL", "https://a.example", "publicUrl", "https://a.example"],
    ["PUBLIC_URL", "http://a.example:81/b/c.d/", "publicUrl", "http://a.example:81/b/c.d/"],
    ["PUBLIC_URL", "https://a.example/apiary", "publicUrl", "https://a.example/apiary"],
    ["ORIGIN", "https://files.example:8443", "origin", "https://files.example:8443"],
    ["PORT", "", "port", 8080],
  ];
  for (const [variable, value, key, expected] of cases) {
    await t.step(`C 13 ${variable}=${value}`, () => {
      const settings: Record<string, unknown> = { ...read({ [variable]: value }) };
      assert.deepEqual(settings[key], expected);
    });
  }
});

Deno.test("C 13 readSettings() refuses an invalid value, in one line with the variable, value and expectation", async (t) => {
  const cases: [string, string, RegExp][] = [
    ["GRACE", "soon", /a duration such as 90s or 5m/],
    ["DRAIN", "2d", /at most 1d/],
    ["PORT", "65536", /0 to 65535/],
    ["PORT", "-1", /0 to 65535/],
    ["PORT", "80.5", /0 to 65535/],
    ["PORT", "0x50", /0 to 65535/],
    ["PORT", "eighty", /0 to 65535/],
    ["HOST", "  ", /host name or an IP address/],
    ...[
      "x --allow-run",
      "x\t--allow-run",
      "localhost,example.com",
      "localhost:80",
      "[::1]",
      "*",
      "*.example",
      "-x",
      "a..b",
      "a/b",
      "$(id)",
      "`id`",
      "a'b",
      "256.1.1.1",
      "1.2.3",
      "fe80::1%eth0",
      "a".repeat(64),
      "a.".repeat(200),
    ].map((host): [string, string, RegExp] => ["HOST", host, /host name or an IP address/]),
    ["DATA_DIR", "a\nb", /control characters/],
    ["DATA_DIR", "a\0b", /control characters/],
    ["JWT_PUBLIC_KEY", "a\nb", /control characters/],
    ["JWKS_URL", "https://a,b.example/jwks", /http/],
    ["JWKS_URL", "https://a,*/jwks", /http/],
    ["JWKS_URL", "https://*.example/jwks", /http/],
    ["JWKS_URL", "https://$(id)/jwks", /http/],
    ...["*", "a.example,", "https://a.example", "a.example/x", "u@a.example", "a b", "a.example:x"]
      .map((hosts): [string, string, RegExp] => ["OIDC_HOSTS", hosts, /comma-separated hosts/]),
    ["LOG_LEVEL", "loud", /debug, info, warn, error/],
    ["LOG_FORMAT", "xml", /text, json/],
    ["JWKS_URL", "ftp://id.example", /http/],
    ["JWKS_URL", "no url", /http/],
    ["MAX_UPLOAD_FILE_SIZE", "0", /a size of at least 1 bytes, such as 5GiB/],
    ["MAX_UPLOAD_FILE_SIZE", "300 MBytes", /a size/],
    ["MAX_UPLOAD_FILE_SIZE", "9007199254740992", /a size/],
    ["USER_QUOTA", "-1", /a size of at least 0/],
    ["MAX_UPLOAD_FILES", "1000001", /1 to 1000000/],
    ["MAX_UPLOAD_TOTAL_SIZE", "1e9", /a size/],
    ["MAX_UPLOAD_TOTAL_SIZE", "GiB", /a size/],
    ["DISK_RESERVE_MB", "-1", /0 to/],
    ["MAX_QUEUED_SCANS", "0", /1 to 1000000/],
    ["SCAN_MAX_OPCODES", "999", /1000 to/],
    ["SCAN_MAX_VALUES_MB", "0", /1 to/],
    ["SCAN_MAX_MEMBER_MB", "0", /1 to/],
    ["SCAN_MAX_UNPACKED_MB", "x", /1 to/],
    ["SCAN_FILE_TIMEOUT_S", "0", /1 to 1000000/],
    ["SCAN_RETENTION_DAYS", "-1", /0 to 36500/],
    ["METRICS", "yes", /token, open/],
    ["CORS_ORIGINS", "https://a.example/path", /origins/],
    ["CORS_ORIGINS", "a.example", /origins/],
    ["PUBLIC_URL", "files.example", /URL such as/],
    ["PUBLIC_URL", "https://a.example/b?c", /URL such as/],
    ["PUBLIC_URL", "https://a.example/b//c", /URL such as/],
    ["PUBLIC_URL", "https://a.example/b%20c", /URL such as/],
    ["PUBLIC_URL", "https://a.example/hub/x", /none of the server's own/],
    ["PUBLIC_URL", "https://a.example/api", /none of the server's own/],
    ["ORIGIN", "https://files.example/", /origin/],
    ["ORIGIN", "files.example", /origin/],
    ["ORIGIN", "ftp://files.example", /origin/],
  ];
  for (const [variable, value, expected] of cases) {
    await t.step(`C 13 ${variable}=${value}`, () => {
      assert.throws(() => read({ [variable]: value }), (error) => {
        assert.ok(error instanceof RangeError);
        assert.ok(error.message.includes(`STRONGROOM_${variable}`), error.message);
        assert.ok(error.message.includes(JSON.stringify(value)), error.message);
        assert.match(error.message, expected);
        assert.doesNotMatch(error.message, /\n/);
        return true;
      });
    });
  }
  await t.step("C 13 and C 10 refuses a short secret without showing it", () => {
    assert.throws(() => read({ JWT_SECRET: "too short" }), (error) => {
      assert.ok(error instanceof RangeError);
      assert.match(error.message, /STRONGROOM_JWT_SECRET.*32 bytes/);
      assert.doesNotMatch(error.message, /too short/);
      return true;
    });
  });
  await t.step(
    "C 13 and C 10 refuses a secret of few different characters without showing it",
    () => {
      for (const secret of ["s".repeat(32), "changeme".repeat(4), "0123456".repeat(9)]) {
        assert.throws(() => read({ JWT_SECRET: secret }), (error) => {
          assert.ok(error instanceof RangeError);
          assert.match(error.message, /STRONGROOM_JWT_SECRET: expected .*8 different characters/);
          assert.ok(!error.message.includes(secret));
          return true;
        });
      }
    },
  );
  await t.step("C 13 refuses a URL without showing its password", () => {
    const cases = [
      ["CONTENT_URL", "s3://key:pass-word@bucket/prefix"],
      ["CONTENT_URL", "s3://bucket/prefix?secret=pass-word"],
      ["CONTENT_URL", "s3:/key:pass-word"],
      ["DATABASE_URL", "postgres://user:pass-word@"],
      ["DATABASE_URL", "postgre://user:pass-word@host/database"],
      ["JWKS_URL", "ftp://user:pass-word@host/"],
      ["ORIGIN", "https://user:pass-word@host"],
      ["CORS_ORIGINS", "https://a.example,https://user:pass-word@host"],
    ] as const;
    for (const [variable, value] of cases) {
      assert.throws(() => read({ [variable]: value }), (error) => {
        assert.ok(error instanceof RangeError);
        assert.match(error.message, new RegExp(`^Invalid STRONGROOM_${variable}: expected `));
        assert.doesNotMatch(error.message, /pass-word/);
        return true;
      });
    }
  });
  await t.step("C 13 and C 10 refuses a short previous secret without showing it", () => {
    assert.throws(() => read({ JWT_SECRET_PREVIOUS: "too short" }), (error) => {
      assert.ok(error instanceof RangeError);
      assert.match(error.message, /STRONGROOM_JWT_SECRET_PREVIOUS.*32 bytes/);
      assert.doesNotMatch(error.message, /too short/);
      return true;
    });
  });
  await t.step("C 10 refuses two kinds of keys", () => {
    for (const secret of ["JWT_SECRET", "JWT_SECRET_PREVIOUS"]) {
      const both = { [secret]: "01234567".repeat(4), JWKS_URL: "https://id.example/" };
      assert.throws(() => read(both), /STRONGROOM_JWT_SECRET.*, STRONGROOM_JWT_PUBLIC_KEY/);
    }
  });
});

Deno.test("C 13 describeSettings() shows all settings, and masks secrets", () => {
  const variables: Record<string, string> = {
    STRONGROOM_JWT_SECRET: "a very secret secret of 32 bytes",
    STRONGROOM_JWT_SECRET_PREVIOUS: "another very secret secret of 40 bytes",
    STRONGROOM_PORT: "9000",
  };
  const env = (name: string) => variables[name];
  const shown = describeSettings(readSettings(env), env);
  const of = (variable: string) => shown.find((it) => it.variable === `STRONGROOM_${variable}`);
  assert.deepEqual(of("PORT"), { variable: "STRONGROOM_PORT", value: "9000", isDefault: false });
  assert.equal(of("HOST")?.isDefault, true);
  assert.equal(of("JWT_SECRET")?.value, "********");
  assert.equal(of("JWT_SECRET_PREVIOUS")?.value, "********");
  assert.doesNotMatch(JSON.stringify(shown), /very secret/);
  for (
    const variable of ["JWKS_URL", "CORS_ORIGINS", "LOG_FORMAT", "METRICS"]
  ) {
    assert.ok(of(variable), variable);
  }
});

Deno.test("C 13 describeSettings() shows values that can be given again", () => {
  const values = describeSettings(
    read({ GRACE: "5m", SCRUB_DAYS: "0", HISTORY: "30d" }),
    () => undefined,
  )
    .filter(({ value }) => value !== "");
  const again = Object.fromEntries(values.map(({ variable, value }) => [variable, value]));
  const settings = readSettings((name) => again[name]);
  assert.deepEqual([settings.grace, settings.drain, settings.scrubDays], [300_000, 0, 0]);
  assert.equal(settings.history, 30 * 86_400_000);
  assert.equal(readSettings((name) => name.endsWith("_HISTORY") ? "off" : undefined).history, 0);
  assert.throws(() => read({ HISTORY: "0" }), /a duration such as 30d or 12h, or off/);
  assert.deepEqual(
    describeSettings(settings, () => undefined).filter((it) => it.value !== ""),
    values,
  );
});

Deno.test("C 22 readSettings() refuses limits that contradict one another", () => {
  const cases: [Record<string, string>, RegExp][] = [
    [{ MAX_UPLOAD_FILE_SIZE: "3TiB" }, /FILE_SIZE is more than STRONGROOM_MAX_UPLOAD_TOTAL_SIZE$/],
    [
      { MAX_UPLOAD_FILE_SIZE: "2MB", MAX_UPLOAD_TOTAL_SIZE: "1MB" },
      /FILE_SIZE is more than STRONGROOM_MAX_UPLOAD_TOTAL_SIZE$/,
    ],
    [
      { MAX_UPLOAD_REQUEST_SIZE: "1GiB" },
      /TOTAL_SIZE is more than STRONGROOM_MAX_UPLOAD_REQUEST_SIZE$/,
    ],
  ];
  for (const [variables, message] of cases) {
    assert.throws(() => read(variables), { name: "RangeError", message });
  }
});

Deno.test("C 23 readSettings() takes the address of an object store with its credentials", () => {
  const keys = { S3_ACCESS_KEY: "me", S3_SECRET_KEY: "a secret" };
  for (
    const url of [
      "s3://bucket/prefix",
      "s3://bucket/a/b?endpoint=https://s3.example&region=eu-1",
      "s3://bucket/a?endpoint=http://127.0.0.1:7070",
    ]
  ) assert.equal(read({ CONTENT_URL: url, ...keys }).contentUrl, url);
  for (
    const url of [
      "s3://bucket",
      "s3://bucket/",
      "s3://me:secret@bucket/prefix",
      "s3://Bucket_/a",
      "https://bucket/a",
      "s3://bucket/a?endpoint=s3.example",
      "s3://bucket/a?endpoint=https://s3.example/path",
      "s3://bucket/a?endpoint=https://me:secret@s3.example",
      "s3://bucket/a?access_key=me",
      "s3://bucket/a?region=EU",
    ]
  ) assert.throws(() => read({ CONTENT_URL: url, ...keys }), /STRONGROOM_CONTENT_URL/, url);
  assert.throws(() => read({ CONTENT_URL: "s3://bucket/a" }), /set .* together/);
  assert.throws(() => read(keys), /set .* together/);
  const env = { CONTENT_URL: "s3://bucket/a", ...keys, S3_SESSION_TOKEN: "a token" };
  const shown = describeSettings(read(env), () => undefined).map(({ value }) => value).join();
  for (const value of ["me", "a secret", "a token"]) assert.ok(!shown.split(",").includes(value));
});
