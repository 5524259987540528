import { connect, createServer, type IncomingHttpHeaders } from 'node:http2';
import type { AddressInfo } from 'node:net';

/** A follower of a cluster: an address that answers reads from the events that it has, unless the leader is required. */
export interface Follower {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts a follower as EventStoreDB has them. A call that requires the leader is refused, and the refusal names the leader. Other calls are
 * answered by `replica`, a store that has only the events that were replicated.
 */
export async function startFollower(leaderUrl: string, replicaUrl: string): Promise<Follower> {
  const leader = addressOf(leaderUrl);
  const replica = connect(`http://${addressOf(replicaUrl).host}`);
  const server = createServer();
  server.on('stream', (stream, headers: IncomingHttpHeaders) => {
    stream.on('error', () => undefined);
    if (headers['requires-leader'] === 'true') {
      stream.respond(
        {
          ':status': 200,
          'content-type': 'application/grpc+proto',
          'grpc-status': '5',
          'grpc-message': 'Leader info available',
          exception: 'not-leader',
          'leader-endpoint-host': leader.hostname,
          'leader-endpoint-port': leader.port,
        },
        { endStream: true },
      );
      return;
    }
    const { ':authority': _, ...passed } = headers;
    const answer = replica.request(passed);
    answer.on('error', () => stream.close());
    answer.on('response', ({ ':status': status, ...rest }, flags) => {
      // The flag END_STREAM: an answer of trailers alone.
      if ((flags & 1) === 1) return stream.respond({ ':status': status, ...rest }, { endStream: true });
      stream.respond({ ':status': status, ...rest }, { waitForTrailers: true });
      let trailers: IncomingHttpHeaders = {};
      answer.on('trailers', (sent) => (trailers = sent));
      stream.on('wantTrailers', () => stream.sendTrailers(trailers));
      answer.pipe(stream);
    });
    stream.pipe(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `esdb://127.0.0.1:${(server.address() as AddressInfo).port}?tls=false`,
    close: async () => {
      replica.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function addressOf(url: string): URL {
  return new URL(url.replace(/^esdb/, 'http'));
}
