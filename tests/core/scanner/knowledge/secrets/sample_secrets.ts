/** Returns characters as random as those of a credential, the same ones each time. */
export function chars(length: number, alphabet: string): string {
  let state = 7;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return alphabet[(state >>> 8) % alphabet.length];
  }).join("");
}

export const HEX = "0123456789abcdef";
export const ALPHANUMERIC = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
export const base64Url = (text: string) =>
  btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");

/**
 * A credential for each pattern, with its kind and rule. The parts are joined here, so that this file
 * contains no credential itself.
 */
export const SECRETS: readonly (readonly [secret: string, kind: string, ruleCode: string])[] = [
  ["-----BEGIN RSA PRIVATE KEY-----\n" + chars(64, ALPHANUMERIC) + "\n", "private key", "S703"],
  ["-----BEGIN PRIVATE KEY-----\\n" + chars(64, ALPHANUMERIC), "private key", "S703"],
  ["-----BEGIN OPENSSH PRIVATE KEY-----\r\n" + chars(64, ALPHANUMERIC), "private key", "S703"],
  [
    "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n" +
    chars(64, ALPHANUMERIC),
    "private key",
    "S703",
  ],
  ["AKIA" + "Q3EGRZ7XKLMNOP2S", "AWS access key", "S704"],
  ["aws_secret_access_key = " + chars(40, ALPHANUMERIC), "AWS secret access key", "S704"],
  ["AIza" + chars(35, ALPHANUMERIC), "Google API key", "S705"],
  ["GOCSPX-" + chars(28, ALPHANUMERIC), "Google client secret", "S705"],
  ["AccountKey=" + chars(86, ALPHANUMERIC) + "==", "Azure storage key", "S705"],
  ["dapi" + chars(32, HEX), "Databricks token", "S705"],
  ["ghp_" + chars(36, ALPHANUMERIC), "GitHub token", "S701"],
  ["github_pat_" + chars(82, ALPHANUMERIC), "GitHub token", "S701"],
  ["glpat-" + chars(20, ALPHANUMERIC), "GitLab token", "S701"],
  ["hf_" + chars(34, ALPHANUMERIC), "Hugging Face token", "S701"],
  ["sk-" + "ant-api03-" + chars(90, ALPHANUMERIC), "Anthropic key", "S701"],
  ["sk-" + "proj-" + chars(60, ALPHANUMERIC), "OpenAI key", "S701"],
  ["sk-" + chars(48, ALPHANUMERIC), "OpenAI key", "S701"],
  ["sk_" + "live_" + chars(24, ALPHANUMERIC), "Stripe key", "S701"],
  ["xox" + "b-" + chars(40, "0123456789"), "Slack token", "S701"],
  ["npm_" + chars(36, ALPHANUMERIC), "npm token", "S701"],
  ["SG." + chars(22, ALPHANUMERIC) + "." + chars(43, ALPHANUMERIC), "SendGrid key", "S701"],
  ["ya29." + chars(60, ALPHANUMERIC), "Google OAuth token", "S708"],
  ["Bearer " + chars(40, ALPHANUMERIC), "bearer token", "S708"],
  [
    `${base64Url('{"alg":"HS256","typ":"JWT"}')}.${base64Url('{"sub":"42"}')}.${
      chars(43, ALPHANUMERIC)
    }`,
    "JWT",
    "S707",
  ],
  ["postgres://app:" + "hunter2x@db.internal.net:5432/app", "database URL", "S706"],
  ["mongodb+srv://app:" + "hunter2x@cluster0.abc.net/x", "database URL", "S706"],
  ["redis://:" + "hunter2x@cache.internal.net", "database URL", "S706"],
  ["https://app:" + "hunter2x@mirror.internal.net/x", "password in a URL", "S702"],
  [
    "https://hooks.slack.com/" + "services/T0A1B2C3D/B0A1B2C3D/" + chars(24, ALPHANUMERIC),
    "webhook",
    "S709",
  ],
  [
    "https://discord.com/" + "api/webhooks/843967201875340291/" + chars(68, ALPHANUMERIC),
    "webhook",
    "S709",
  ],
  [
    "AGE-SECRET-" + "KEY-1" + chars(58, "0123456789ACDEFGHJKLMNPQRSTUVWXYZ"),
    "age private key",
    "S703",
  ],
  ["do" + "p_v1_" + chars(64, HEX), "DigitalOcean token", "S705"],
  ["gsk_" + chars(52, ALPHANUMERIC), "Groq key", "S701"],
  ["r8_" + chars(37, ALPHANUMERIC), "Replicate token", "S701"],
  ["xai-" + chars(80, ALPHANUMERIC), "xAI key", "S701"],
  ["pplx-" + chars(48, ALPHANUMERIC), "Perplexity key", "S701"],
  ["pypi-" + "AgEIcHlwaS5vcmc" + chars(60, ALPHANUMERIC), "PyPI token", "S701"],
  ["key-" + chars(32, HEX), "Mailgun key", "S701"],
  ["SK" + chars(32, HEX), "Twilio key", "S701"],
  ["843967201" + ":AA" + chars(33, ALPHANUMERIC), "Telegram bot token", "S701"],
  [
    "https://store.blob.core.windows.net/c?sv=2024&sig=" + chars(41, ALPHANUMERIC) + "%2Bd%3D",
    "Azure shared access signature",
    "S705",
  ],
];
