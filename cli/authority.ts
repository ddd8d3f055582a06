/** Host and port as they stand in a URL; an IPv6 address has brackets there. */
export function authority(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
