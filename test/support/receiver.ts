import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it arrived. */
export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** The body's bytes, as text. */
  body: string;
}

/** What a receiver does with a request, once it has read it. */
export type Answer = (request: Received, response: ServerResponse) => void;

/** A receiver of webhooks on this machine: keeps what arrives, and answers 200 or as the test wants. */
export class Receiver {
  readonly received: Received[] = [];
  /** How many connections were opened to it. */
  connections = 0;
  answer: Answer = (_, response) => response.end('ok');
  private readonly arrivals = new EventEmitter();

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {
    server.on('connection', () => this.connections++);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        const received = { method, path: url, headers, body: Buffer.concat(chunks).toString('utf8') };
        this.received.push(received);
        this.answer(received, response);
        this.arrivals.emit('arrival');
      });
    });
  }

  static async start(): Promise<Receiver> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Receiver(server, (server.address() as AddressInfo).port);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  /** Waits until `count` requests have arrived, and returns the last of them. */
  async arrived(count: number): Promise<Received> {
    while (this.received.length < count) await once(this.arrivals, 'arrival');
    return this.received[count - 1]!;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
