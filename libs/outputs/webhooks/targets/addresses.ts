import ipaddr from 'ipaddr.js';

/** Of all IPv6 space only this part is given out; the rest is special or nobody's. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

/** An IP address that everybody may be sent to: not private, local, shared, reserved, translated or tunnelled. */
export function isPublicAddress(address: string): boolean {
  const parsed = parse(address);
  if (parsed?.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_IPV6);
}

/** An IP address of this machine itself. */
export function isLoopbackAddress(address: string): boolean {
  return parse(address)?.range() === 'loopback';
}

/** An IPv4 address in IPv6 form (`::ffff:10.0.0.1`) counts as what it is. */
function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  return ipaddr.isValid(address) ? ipaddr.process(address) : undefined;
}
