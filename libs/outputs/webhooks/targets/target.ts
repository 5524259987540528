import ipaddr from 'ipaddr.js';
import { CONTROL_CHARACTER } from '#libs/kernel/core';
import { isLoopbackAddress, isPublicAddress } from './addresses.js';

/** What a workspace's webhooks may be sent to. */
export interface TargetRules {
  /** Besides public https addresses, this machine over http: for a sandbox, where the operator allows it. */
  readonly loopback: boolean;
  /** Ports of this machine that are closed to webhooks all the same: those of the instance itself. None if absent. */
  readonly closedPorts?: ReadonlySet<number>;
}

const MAX_LENGTH = 2_048;
const HTTP_PORT = 80;
const HTTPS = 'must be an https:// URL';
const OWN_PORT = 'must not point to a port of Countinghouse itself';
const NOT_PUBLIC = 'must not point to a private, local or reserved address';

/**
 * What is wrong with a URL as a webhook's target, in words that follow the field's name; undefined if nothing is.
 * Only an address that stands in the URL itself can be judged here: URL parsing brings every notation of one
 * (`2130706433`, `0x7f.1`, `①②⑦.0.0.1`) into the common form. What a name resolves to is judged when connecting.
 */
export function objectionTo(text: string, rules: TargetRules): string | undefined {
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
      if (!rules.loopback) return HTTPS;
      if (!isLocalName(host) && !isLoopbackAddress(host)) return `${HTTPS}; http is for this machine alone`;
      return rules.closedPorts?.has(Number(url.port || HTTP_PORT)) ? OWN_PORT : undefined;
    default:
      return HTTPS;
  }
}

/** Which addresses a target may be reached under: over http this machine's, over https the public ones. */
export function reachable(url: URL): (address: string) => boolean {
  return url.protocol === 'http:' ? isLoopbackAddress : isPublicAddress;
}

/** The host without the brackets of IPv6 and the dot that ends a full name. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

/** Names that are this machine's by RFC 6761. */
function isLocalName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}
