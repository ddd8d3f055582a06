import type { RuleCode } from "../../contract/rules.ts";
import type { Severity } from "../../contract/severity.ts";

/** A kind of credential with a recognizable shape. */
export interface SecretPattern {
  readonly kind: string;
  readonly ruleCode: RuleCode;
  readonly severity: Severity;
  /** Has the flag `g`. Every repetition is bounded or of one character class, so that matching is linear. */
  readonly pattern: RegExp;
  /** Whether a match is a credential. Always, if not given. */
  readonly isReal?: (match: string) => boolean;
}

/** The boundaries of a token of letters, digits, `_` and `-`. */
const END = String.raw`(?![\w-])`;
const START = String.raw`(?<![\w-])`;

function token(kind: string, shape: string, ruleCode: RuleCode = "S701"): SecretPattern {
  return {
    kind,
    ruleCode,
    severity: "critical",
    pattern: new RegExp(START + shape + END, "g"),
  };
}

const KEYS: readonly SecretPattern[] = [
  {
    kind: "private key",
    ruleCode: "S703",
    severity: "critical",
    pattern:
      /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\\[rn]|\s){1,8}(?:[A-Za-z-]{1,20}:(?:\\[rn]|\s){1,20}(?:[^\s\\]{1,100}(?:\\[rn]|\s){1,20}){0,64})?[A-Za-z0-9+/=]{16}[A-Za-z0-9+/=\s\\]*/g,
  },
  token("age private key", "AGE-SECRET-KEY-1[0-9A-Z]{58}", "S703"),
  token("AWS access key", "(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}", "S704"),
  {
    kind: "AWS secret access key",
    ruleCode: "S704",
    severity: "critical",
    pattern:
      /(?<=secret_?access_?key["']?\s{0,4}[:=]\s{0,4}["']?)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/gi,
  },
  token("Google API key", "AIza[0-9A-Za-z_-]{35}", "S705"),
  token("Google client secret", "GOCSPX-[0-9A-Za-z_-]{28}", "S705"),
  {
    kind: "Azure storage key",
    ruleCode: "S705",
    severity: "critical",
    pattern: /(?<=AccountKey=)[A-Za-z0-9+/]{86}==/g,
  },
  token("DigitalOcean token", "do[opr]_v1_[a-f0-9]{64}", "S705"),
  token("Databricks token", "dapi[a-f0-9]{32}", "S705"),
];

const TOKENS: readonly SecretPattern[] = [
  token("GitHub token", "gh[pousr]_[A-Za-z0-9]{36,255}"),
  token("GitHub token", "github_pat_[A-Za-z0-9_]{22,255}"),
  token("GitLab token", "glpat-[A-Za-z0-9_-]{20,60}"),
  token("Hugging Face token", "(?:hf|api_org)_[A-Za-z0-9]{34}"),
  token("Anthropic key", "sk-ant-[A-Za-z0-9_-]{32,200}"),
  token("OpenAI key", "sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,200}"),
  token("OpenAI key", "sk-(?=[A-Za-z0-9]{0,28}[0-9])[A-Za-z0-9]{48}"),
  token("Groq key", "gsk_[A-Za-z0-9]{52}"),
  token("Replicate token", "r8_[A-Za-z0-9]{37}"),
  token("xAI key", "xai-[A-Za-z0-9]{80}"),
  token("Perplexity key", "pplx-[A-Za-z0-9]{48}"),
  token("Stripe key", "[sr]k_live_[A-Za-z0-9]{20,247}"),
  token("Slack token", "xox[abeprs]-[A-Za-z0-9-]{10,250}"),
  token("npm token", "npm_[A-Za-z0-9]{36}"),
  token("PyPI token", "pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50,250}"),
  token("SendGrid key", String.raw`SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}`),
  token("Mailgun key", "key-[0-9a-f]{32}"),
  token("Twilio key", "SK[0-9a-f]{32}"),
  token("Telegram bot token", "[0-9]{8,10}:AA[A-Za-z0-9_-]{33}"),
  token("Google OAuth token", String.raw`ya29\.[A-Za-z0-9_-]{30,500}`, "S708"),
  {
    kind: "JWT",
    ruleCode: "S707",
    severity: "warning",
    pattern:
      /(?<![\w-])eyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{2,4000}\.[A-Za-z0-9_-]{20,1000}/g,
    isReal: (jwt) => hasJoseHeader(jwt) && !isSignedHash(jwt),
  },
  {
    kind: "bearer token",
    ruleCode: "S708",
    severity: "warning",
    pattern: /(?<=\bBearer\s{1,4})[A-Za-z0-9._~+/-]{24,2000}=*/g,
    isReal: (match) => /\d/.test(match) && /[A-Z]/.test(match) && /[a-z]/.test(match),
  },
];

const URLS: readonly SecretPattern[] = [
  {
    kind: "database URL",
    ruleCode: "S706",
    severity: "critical",
    pattern:
      /\b(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|oracle|clickhouse|cockroachdb)(?:\+[a-z0-9]{1,20})?:\/\/[^\s:@/"'<>`]{0,100}:[^\s@/"'<>`]{1,200}@[^\s"'<>`@]{1,200}/gi,
    isReal: hasRealPassword,
  },
  {
    kind: "password in a URL",
    ruleCode: "S702",
    severity: "warning",
    pattern:
      /\b(?:https?|ftps?|ssh|sftp):\/\/[^\s:@/"'<>`]{1,100}:[^\s@/"'<>`]{3,200}@[^\s"'<>`@]{1,200}/gi,
    isReal: hasRealPassword,
  },
  {
    kind: "webhook",
    ruleCode: "S709",
    severity: "critical",
    pattern:
      /https:\/\/(?:hooks\.slack\.com\/(?:services|workflows)\/[A-Z0-9]{8,14}\/[A-Z0-9]{8,14}\/[A-Za-z0-9/]{16,80}|(?:[a-z]{1,8}\.)?discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/\d{15,22}\/[\w-]{40,100}|[a-z0-9]{1,63}\.webhook\.office\.com\/webhookb2\/[\w@/-]{40,300}|hooks\.zapier\.com\/hooks\/catch\/\d{4,12}\/[a-z0-9]{5,20})/g,
  },
  {
    kind: "Azure shared access signature",
    ruleCode: "S705",
    severity: "warning",
    pattern: /[?&]sig=[A-Za-z0-9+/]{20,60}(?:%[0-9A-Fa-f]{2}[A-Za-z0-9+/]{0,60}){1,20}/g,
  },
];

/** Every kind. Those whose text can contain others come first. */
export const SECRET_PATTERNS: readonly SecretPattern[] = [...KEYS, ...URLS, ...TOKENS];

function hasJoseHeader(jwt: string): boolean {
  return /"alg"\s*:/.test(partOfJwt(jwt, 0));
}

/** Whether a JWT is a signed evaluation result, which model cards contain as `verifyToken`. */
function isSignedHash(jwt: string): boolean {
  return /^\{"hash":"[0-9a-f]{64}","version":\d{1,9}\}$/.test(partOfJwt(jwt, 1));
}

/** The decoded part of a JWT, or an empty string if it is not base64. */
function partOfJwt(jwt: string, index: number): string {
  try {
    return atob((jwt.split(".")[index] ?? "").replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return "";
  }
}

function hasRealPassword(url: string): boolean {
  const authority = url.slice(url.indexOf("://") + 3);
  const credentials = authority.slice(0, authority.indexOf("@"));
  // A link to a mail address, of which a program made one of the web.
  if (/^mailto:/i.test(credentials)) return false;
  const password = credentials.slice(credentials.indexOf(":") + 1);
  return !/^(?:[<[{$%*].*|x+|\.+|pass(?:word|wd)?|pwd|secret|root|admin|user(?:name)?|postgres|mysql|guest|token|changeme|example|my[-_]?(?:password|secret))$/i
    .test(password);
}
