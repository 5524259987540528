import { Server, ServerCredentials } from '@grpc/grpc-js';
import { BlockList, isIP, isIPv6 } from 'node:net';

/**
 * The largest request in bytes. This size exceeds the largest allowed append, so that a too large append gets an error response and not a
 * broken connection.
 */
const MAX_MESSAGE_BYTES = 17 * 1024 * 1024;
/** The time that a slow reader has to receive the rest of its answer when the node shuts down. */
const SHUTDOWN_MILLIS = 3_000;

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

export function createGrpcServer(): Server {
  return new Server({
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
  });
}

/**
 * Returns the host if it is a loopback address, and 127.0.0.1 for `localhost`. The node has neither authentication nor TLS, so it accepts
 * connections only from the same machine.
 *
 * @throws Error for any other address
 */
export function requireLoopbackAddress(host: string): string {
  const address = host === 'localhost' ? '127.0.0.1' : host;
  if (isIP(address) === 0 || !loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4'))
    throw new Error(
      `The event store node listens on loopback only, and "${host}" is not a loopback address.`,
    );
  return address;
}

/** Returns the address in the form that URLs need. */
export function urlHost(address: string): string {
  return isIPv6(address) ? `[${address}]` : address;
}

/** Listens and resolves to the port. Throws an error that names the port if the port is in use. */
export function listen(server: Server, address: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(`${urlHost(address)}:${port}`, ServerCredentials.createInsecure(), (error, bound) => {
      if (error)
        reject(
          new Error(
            `The event store node cannot listen on ${address}:${port}: ${error.message}; check EVENTSTORE_PORT`,
            { cause: error },
          ),
        );
      else resolve(bound);
    });
  });
}

/** Accepts no more calls. Resolves when the running calls are done, or {@link SHUTDOWN_MILLIS} have passed. */
export function shutDown(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.forceShutdown(), SHUTDOWN_MILLIS);
    server.tryShutdown(() => {
      clearTimeout(force);
      resolve();
    });
  });
}
