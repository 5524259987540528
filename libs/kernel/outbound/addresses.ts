import ipaddr from 'ipaddr.js';

/** The only IPv6 address range that is assigned for public use. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

/** Tells whether a request may be sent to an IP address: it must not be private, local, shared, reserved, translated or tunnelled. */
export function isPublicAddress(address: string): boolean {
  const parsed = parse(address);
  if (parsed?.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_IPV6);
}

/** Tells whether an IP address belongs to this machine. */
export function isLoopbackAddress(address: string): boolean {
  return parse(address)?.range() === 'loopback';
}

/** Parses an IP address. An IPv4 address in IPv6 form (`::ffff:10.0.0.1`) is treated as IPv4. */
function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  return ipaddr.isValid(address) ? ipaddr.process(address) : undefined;
}
