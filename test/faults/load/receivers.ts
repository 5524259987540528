import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from './random.ts';

/** How a receiver answers the first attempt of a delivery. Every later one it answers well. */
export type Manner = 'well' | 'late' | 'too late' | 'error' | 'redirect' | 'hangs up' | 'garbage' | 'twice';

/** What a receiver that behaves badly does. */
export const BAD_MANNERS: readonly Manner[] = [
  'late',
  'too late',
  'error',
  'redirect',
  'hangs up',
  'garbage',
  'twice',
];

/** A delivery as it arrived once. */
export interface Arrival {
  /** Which receiver: a path of its own. */
  receiver: string;
  /** The body's `id`: the same at every attempt. */
  deliveryId: string;
  body: string;
  headers: IncomingMessage['headers'];
  manner: Manner;
  /** Whether a 2xx was sent in time. */
  acknowledged: boolean;
}

const LATE_MILLIS = 1_500;
/** Beyond the eight seconds that a receiver has. */
const TOO_LATE_MILLIS = 8_500;

/** Receivers of webhooks on this machine, each under a path of its own, each with its manners. */
export class Receivers {
  readonly arrivals: Arrival[] = [];
  private readonly attempts = new Map<string, number>();
  private readonly manners = new Map<string, readonly Manner[]>();

  private readonly server: Server;
  private readonly random: Random;

  private constructor(server: Server, random: Random) {
    this.server = server;
    this.random = random;
    server.on('request', (request, response) => {
      this.receive(request, response).catch(() => response.destroy());
    });
  }

  static async start(random: Random): Promise<Receivers> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Receivers(server, random);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** From now on the receiver under this path has these manners, one of them for each delivery. */
  teach(receiver: string, manners: readonly Manner[]): void {
    this.manners.set(receiver, manners);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const receiver = request.url ?? '';
    const body = Buffer.concat(chunks).toString();
    const { id: deliveryId } = JSON.parse(body) as { id: string };
    const attempt = (this.attempts.get(deliveryId) ?? 0) + 1;
    this.attempts.set(deliveryId, attempt);
    const manners = this.manners.get(receiver) ?? (['well'] as const);
    const manner = attempt > 1 ? 'well' : this.random.of(deliveryId).pick(manners);
    const { headers } = request;
    const arrival: Arrival = { receiver, deliveryId, body, headers, manner, acknowledged: false };
    this.arrivals.push(arrival);
    arrival.acknowledged = await answer(manner, response);
  }
}

/** Answers in this manner; true when it was a 2xx in time. */
async function answer(manner: Manner, response: ServerResponse): Promise<boolean> {
  switch (manner) {
    case 'well':
      response.end('ok');
      return true;
    case 'late':
      await pause(LATE_MILLIS);
      response.end('ok');
      return true;
    case 'too late':
      await pause(TOO_LATE_MILLIS);
      response.end('ok');
      return false;
    case 'error':
      response.writeHead(500).end('{"error":"the receiver is broken"}');
      return false;
    case 'redirect':
      response.writeHead(302, { location: 'http://127.0.0.1:1/elsewhere' }).end();
      return false;
    case 'hangs up':
      response.destroy();
      return false;
    case 'garbage':
      response.socket?.end('SMTP ready\r\n');
      return false;
    case 'twice':
      response.socket?.end(
        'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n',
      );
      return true;
  }
}
