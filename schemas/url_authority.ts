/** Host and port of a URL. A permission without a port would include all ports. */
export function urlAuthority(text: string): string {
  const { protocol, hostname, port } = new URL(text);
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}
