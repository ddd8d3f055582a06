import { BlockList, isIP } from "node:net";

/** Networks whose addresses are not public (IANA, special-purpose address registries). */
const SPECIAL_V4 =
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 " +
  "192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4";
/** All public addresses begin so, but for these. */
const GLOBAL_V6 = "2000::/3";
const SPECIAL_V6 = "2001::/23 2001:db8::/32 2002::/16 3fff::/20";
/** Before an IPv4 address (RFC 6052). */
const NAT64 = "64:ff9b::";

const special = new BlockList();
for (const network of SPECIAL_V4.split(" ")) add(special, network, "ipv4");
for (const network of SPECIAL_V6.split(" ")) add(special, network, "ipv6");
const global = new BlockList();
add(global, GLOBAL_V6, "ipv6");

function add(list: BlockList, network: string, family: "ipv4" | "ipv6"): void {
  const [address = "", bits] = network.split("/");
  list.addSubnet(address, Number(bits), family);
}

/** Whether an IP address is one of the public internet. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !special.check(address, "ipv4");
    case 6: {
      const lower = address.toLowerCase();
      const [, embedded] = /^(?:::ffff:|64:ff9b::)(\d{1,3}(?:\.\d{1,3}){3})$/.exec(lower) ?? [];
      if (embedded !== undefined) return lower.startsWith(NAT64) && isPublicAddress(embedded);
      return global.check(address, "ipv6") && !special.check(address, "ipv6");
    }
    default:
      return false;
  }
}
