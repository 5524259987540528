import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** Resolves a host name, as `dns.lookup` does. */
export type ResolveHostName = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** The error for a host name without any address to which a request may be sent. */
export class NoAllowedAddress extends Error {}

/**
 * A lookup for sockets that returns only addresses to which a connection is allowed. The lookup checks the addresses that the socket then
 * connects to. A separate check could resolve the host name to another address than the connection does.
 */
export function guardedLookup(
  mayConnect: (address: string) => boolean,
  resolve: ResolveHostName = systemLookup,
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '');
      const allowed = addresses.filter(({ address }) => mayConnect(address));
      const [first] = allowed;
      if (!first)
        return callback(
          new NoAllowedAddress(`"${hostname}" has no address to which a request may be sent`),
          '',
        );
      if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}
