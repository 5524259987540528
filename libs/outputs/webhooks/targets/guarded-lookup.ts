import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** Resolves a host name, as `dns.lookup` does. */
export type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** The name resolves to nothing that a webhook may be sent to. */
export class UnreachableTarget extends Error {}

/**
 * A lookup for sockets that lets through only addresses that may be connected to. The check is made on the very
 * answer that the socket then connects with: one made before could be told another address than the connection.
 */
export function guardedLookup(
  mayConnect: (address: string) => boolean,
  resolve: Resolve = systemLookup,
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '');
      const allowed = addresses.filter(({ address }) => mayConnect(address));
      const [first] = allowed;
      if (!first)
        return callback(new UnreachableTarget(`"${hostname}" has no address that may be sent to`), '');
      if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}
