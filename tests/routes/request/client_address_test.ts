import * as assert from "node:assert/strict";
import { clientAddress, TrustedProxies } from "../../../routes/request/client_address.ts";

const PROXIES = new TrustedProxies(["10.0.0.0/8", "192.0.2.7", "2001:db8::/32"]);

const CASES: readonly {
  name: string;
  connected: string;
  headers: Record<string, string>;
  client: string;
}[] = [
  {
    name: "C 22 ignores the headers of a client that is not a trusted proxy",
    connected: "198.51.100.1",
    headers: { "X-Forwarded-For": "203.0.113.9", Forwarded: "for=203.0.113.9" },
    client: "198.51.100.1",
  },
  {
    name: "C 22 takes the address that a trusted proxy names",
    connected: "10.1.2.3",
    headers: { "X-Forwarded-For": "203.0.113.9" },
    client: "203.0.113.9",
  },
  {
    name: "C 22 skips trusted proxies, and what the client wrote before them",
    connected: "10.1.2.3",
    headers: { "X-Forwarded-For": "1.1.1.1, 203.0.113.9, 192.0.2.7, 10.9.9.9" },
    client: "203.0.113.9",
  },
  {
    name: "C 22 reads Forwarded with IPv6, ports and other parameters",
    connected: "2001:db8::1",
    headers: { Forwarded: 'for=1.1.1.1, proto=https;For="[2a00::17]:4711";by=10.0.0.1' },
    client: "2a00::17",
  },
  {
    name: "C 22 reads an address with a port",
    connected: "10.1.2.3",
    headers: { "X-Forwarded-For": "203.0.113.9:4711" },
    client: "203.0.113.9",
  },
  {
    name: "C 22 stops at an obfuscated name",
    connected: "10.1.2.3",
    headers: { Forwarded: "for=1.1.1.1, for=_hidden, for=10.2.2.2" },
    client: "10.2.2.2",
  },
  {
    name: "C 22 believes neither of two headers that disagree",
    connected: "10.1.2.3",
    headers: { "X-Forwarded-For": "203.0.113.9", Forwarded: "for=203.0.113.10" },
    client: "10.1.2.3",
  },
  {
    name: "C 22 takes the address of the proxy if its header is empty",
    connected: "10.1.2.3",
    headers: { "X-Forwarded-For": "" },
    client: "10.1.2.3",
  },
];

for (const { name, connected, headers, client } of CASES) {
  Deno.test(name, () => {
    assert.equal(clientAddress(connected, new Headers(headers), PROXIES), client);
  });
}
