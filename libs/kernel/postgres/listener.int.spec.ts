import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventEmitter, once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import pg from 'pg';
import { createDatabase, type TestDatabase } from '../../../test/support/index.js';
import { NotificationListener } from './listener.js';

let database: TestDatabase;
let wire: Wire;
let sender: pg.Client;
let listener: NotificationListener;
let heard: EventEmitter;
let payloads: string[];

beforeEach(async () => {
  database = await createDatabase();
  wire = await Wire.to(database.url);
  sender = new pg.Client(database.url);
  await sender.connect();
  listener = new NotificationListener(wire.url);
  heard = new EventEmitter();
  payloads = [];
});
afterEach(async () => {
  await listener.close();
  await sender.end();
  await wire.close();
  await database.drop();
});

describe('a notification listener', () => {
  it('listens again after its connection broke, and calls its subscribers to read missed changes', async () => {
    await listener.start();
    await listen();
    const reconnected = once(heard, 'reconnected');
    wire.cutAll();
    await reconnected;
    const news = once(heard, 'news');
    await notify('after');
    await news;
    expect(payloads).toEqual(['after']);
  });

  it('listens to channels that were requested while it was disconnected', async () => {
    await listener.start();
    const closed = wire.allClosed();
    wire.cutAll();
    await closed;
    const reconnected = once(heard, 'reconnected');
    await listen();
    await reconnected;
    const news = once(heard, 'news');
    await notify('one');
    await news;
    expect(payloads).toEqual(['one']);
  });

  it('keeps one connection, also when the next one breaks before it listens', async () => {
    wire.cuts = (connection, sent) => connection === 2 && sent.includes('LISTEN');
    await listener.start();
    await listen();
    const reconnected = once(heard, 'reconnected');
    wire.cutAll();
    await reconnected;
    expect(wire.accepted).toBe(3);
    await listener.close();
    await wire.allClosed();
  });

  it('leaves no connection open that was being opened when it was closed', async () => {
    await listener.start();
    await listen();
    wire.cuts = (connection, sent) => {
      if (connection === 2 && sent.includes('LISTEN')) void listener.close();
      return false;
    };
    const opened = once(wire, 'opened');
    wire.cutAll();
    await opened;
    await wire.allClosed();
    expect(wire.accepted).toBe(2);
  });
});

function listen(): Promise<() => void> {
  return listener.on(
    'news',
    (payload) => {
      payloads.push(payload);
      heard.emit('news');
    },
    () => heard.emit('reconnected'),
  );
}

async function notify(payload: string): Promise<void> {
  await sender.query('SELECT pg_notify($1, $2)', ['news', payload]);
}

/** A proxy between a listener and Postgres. It counts the connections, and can cut a connection depending on the sent data. */
class Wire extends EventEmitter {
  readonly open = new Set<Socket>();
  accepted = 0;
  /** Called with the number of a connection, from 1, and the sent data. If it returns true, the connection is cut. */
  cuts: (connection: number, sent: string) => boolean = () => false;
  private readonly server = net.createServer((socket) => this.forward(socket));

  private constructor(private readonly target: URL) {
    super();
  }

  static async to(databaseUrl: string): Promise<Wire> {
    const wire = new Wire(new URL(databaseUrl));
    wire.server.listen(0, '127.0.0.1');
    await once(wire.server, 'listening');
    return wire;
  }

  get url(): string {
    const url = new URL(this.target);
    url.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return url.href;
  }

  async allClosed(): Promise<void> {
    while (this.open.size > 0) await once(this, 'closed');
  }

  cutAll(): void {
    for (const socket of this.open) socket.destroy();
  }

  async close(): Promise<void> {
    this.cutAll();
    this.server.close();
    await once(this.server, 'close');
  }

  private forward(socket: Socket): void {
    const number = ++this.accepted;
    const upstream = net.connect(Number(this.target.port), this.target.hostname);
    this.open.add(socket);
    upstream.on('error', () => undefined);
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      if (this.cuts(number, chunk.toString('latin1'))) socket.destroy();
      else upstream.write(chunk);
    });
    upstream.pipe(socket);
    socket.on('close', () => {
      this.open.delete(socket);
      upstream.destroy();
      this.emit('closed');
    });
    this.emit('opened');
  }
}
