import ipaddr from 'ipaddr.js';
import { CONTROL_CHARACTER } from '#libs/kernel/core';
import { isLoopbackAddress, isPublicAddress } from './addresses.js';

/** Rules for the URLs to which the product may send requests for a workspace. */
export interface TargetRules {
  /**
   * Tells whether http requests to this machine are allowed, in addition to https requests to public addresses. The operator can allow http
   * requests to this machine for sandboxes.
   */
  readonly allowsLoopback: boolean;
  /** Ports of this machine that may never be targets: the ports of the instance itself. Absent if there are none. */
  readonly closedPorts?: ReadonlySet<number>;
}

const MAX_LENGTH = 2_048;
const HTTP_PORT = 80;
const HTTPS = 'must be an https:// URL';
const OWN_PORT = 'must not point to a port of Countinghouse itself';
const NOT_PUBLIC = 'must not point to a private, local or reserved address';

/**
 * Returns the reason why a URL is not allowed, worded to follow the field's name; undefined if the URL is allowed. If the host of the URL
 * is an IP address, the function checks this address. URL parsing converts every notation of an IP address (`2130706433`, `0x7f.1`,
 * `①②⑦.0.0.1`) to the common form. The addresses of a host name are checked when connecting.
 */
export function targetProblem(text: string, rules: TargetRules): string | undefined {
  const hasGap = /\s/.test(text) || CONTROL_CHARACTER.test(text);
  if (text.length > MAX_LENGTH || hasGap || !URL.canParse(text))
    return `${HTTPS} of at most ${MAX_LENGTH} characters without spaces`;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'must not have a user name or password in it';
  const host = hostOf(url);
  switch (url.protocol) {
    case 'https:':
      return isLocalName(host) || (ipaddr.isValid(host) && !isPublicAddress(host)) ? NOT_PUBLIC : undefined;
    case 'http:':
      if (!rules.allowsLoopback) return HTTPS;
      if (!isLocalName(host) && !isLoopbackAddress(host)) return `${HTTPS}; http is only for this machine`;
      return rules.closedPorts?.has(Number(url.port || HTTP_PORT)) ? OWN_PORT : undefined;
    default:
      return HTTPS;
  }
}

/**
 * Returns a function that tells whether `url` allows a connection to an address. With http only this machine is allowed, with https only
 * public addresses.
 */
export function allowedAddressCheck(url: URL): (address: string) => boolean {
  return url.protocol === 'http:' ? isLoopbackAddress : isPublicAddress;
}

/** Returns the host of a URL, without the brackets of IPv6 and without the final dot of a full name. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

/** Tells whether a host name means this machine (RFC 6761). */
function isLocalName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}
