import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { Receiver, type Answer } from '../../../../test/support/receiver.js';
import type { ResolveHostName, TargetRules } from '#libs/kernel/outbound';
import { EXCERPT_BYTES } from './excerpt.js';
import {
  ACKNOWLEDGE_TIMEOUT_MILLIS,
  isAcknowledged,
  WebhookSender,
  type AttemptOutcome,
} from './webhook-sender.js';

const loopback: TargetRules = { allowsLoopback: true };
const strict: TargetRules = { allowsLoopback: false };
const body = '{"id":"evt_1","data":{"total":1.10,"name":"Zoë ☃"}}';
const headers = { 'Content-Type': 'application/json', 'X-Service-Event': 'invoice.paid' };

/** A name server that always returns these addresses. */
const resolvesTo =
  (...addresses: LookupAddress[]): ResolveHostName =>
  (_hostname, _options, callback) =>
    callback(null, addresses);
const HERE: LookupAddress = { address: '127.0.0.1', family: 4 };

let receiver: Receiver;
beforeEach(async () => {
  receiver = await Receiver.start();
});
afterEach(() => receiver.close());

const post = (sender = new WebhookSender(), url = receiver.url, rules = loopback): Promise<AttemptOutcome> =>
  sender.send({ url, headers, body }, rules);

describe('a delivery', () => {
  it('sends exactly the bytes and headers that it is given', async () => {
    const outcome = await post(undefined, `${receiver.url}?token=1`);
    expect(outcome).toMatchObject({ statusCode: 200, error: null, response: 'ok', retryAfter: undefined });
    expect(receiver.received).toMatchObject([
      {
        method: 'POST',
        path: '/hook?token=1',
        body,
        headers: {
          'content-type': 'application/json',
          'x-service-event': 'invoice.paid',
          'content-length': String(Buffer.byteLength(body)),
          host: `127.0.0.1:${receiver.port}`,
        },
      },
    ]);
  });

  it('does not go to a port of this machine that is closed to webhooks', async () => {
    const outcome = await post(undefined, undefined, { ...loopback, closedPorts: new Set([receiver.port]) });
    expect(outcome).toMatchObject({
      statusCode: null,
      error: 'The URL must not point to a port of Countinghouse itself',
    });
    expect(receiver.connections).toBe(0);
  });

  it('uses a separate connection', async () => {
    await post();
    await post();
    expect(receiver.connections).toBe(2);
  });

  it.each([200, 201, 202, 204, 299])('is acknowledged by %i', async (status) => {
    receiver.answer = (_, response) => response.writeHead(status).end();
    expect(isAcknowledged(await post())).toBe(true);
  });

  it.each([400, 404, 410, 429, 500, 503])('is not acknowledged by %i', async (status) => {
    receiver.answer = (_, response) => response.writeHead(status, { 'Retry-After': '120' }).end('no');
    const outcome = await post();
    expect(outcome).toMatchObject({ statusCode: status, error: null, response: 'no', retryAfter: '120' });
    expect(isAcknowledged(outcome)).toBe(false);
  });

  it.each([301, 302, 303, 307, 308])('does not follow %i', async (status) => {
    const other = await Receiver.start();
    receiver.answer = (_, response) => response.writeHead(status, { Location: other.url }).end();
    const outcome = await post();
    expect(outcome).toMatchObject({ statusCode: status, error: expect.stringContaining('Redirects') });
    expect(isAcknowledged(outcome)).toBe(false);
    expect(other.connections).toBe(0);
    await other.close();
  });
});

describe('a receiver that does not answer', () => {
  it('may have reset the connection', async () => {
    receiver.answer = (_, response) => response.socket!.resetAndDestroy();
    expect(await post()).toMatchObject({ statusCode: null, error: expect.stringContaining('ECONNRESET') });
  });

  it('may have hung up', async () => {
    receiver.answer = (_, response) => response.socket!.destroy();
    expect(await post()).toMatchObject({ statusCode: null, error: expect.stringContaining('hang up') });
  });

  it('may speak another protocol', async () => {
    receiver.answer = (_, response) => response.socket!.end('SSH-2.0-OpenSSH_9.6\r\n');
    expect(await post()).toMatchObject({ statusCode: null, error: expect.stringContaining('HPE_') });
  });

  it('may not be there', async () => {
    const gone = await Receiver.start();
    await gone.close();
    const outcome = await post(undefined, gone.url);
    expect(outcome).toMatchObject({ statusCode: null, error: expect.stringContaining('ECONNREFUSED') });
  });
});

describe('the time for an answer', () => {
  /** Delays the answer until `release` is called. */
  const held = (): { answer: Answer; release: () => void } => {
    const gate = Promise.withResolvers<void>();
    return {
      answer: (_, response) => void gate.promise.then(() => response.end('at last')),
      release: gate.resolve,
    };
  };

  it('is eight seconds', () => {
    expect(ACKNOWLEDGE_TIMEOUT_MILLIS).toBe(8_000);
  });

  it('is enough for an answer that comes before its end', async () => {
    const { answer, release } = held();
    receiver.answer = answer;
    const posted = post();
    await receiver.arrived(1);
    release();
    expect(await posted).toMatchObject({ statusCode: 200, error: null, response: 'at last' });
  });

  it('is over before an answer that comes later', async () => {
    receiver.answer = held().answer;
    expect(await post(new WebhookSender({ timeoutMillis: 200 }))).toMatchObject({
      statusCode: null,
      error: 'No answer within 0.2 seconds',
    });
  });

  it('counts from the beginning, also while the name is being resolved', async () => {
    const sender = new WebhookSender({ timeoutMillis: 200, resolve: () => undefined });
    expect(await post(sender, 'https://hooks.example/')).toMatchObject({
      statusCode: null,
      error: 'No answer within 0.2 seconds',
    });
  });
});

describe("a receiver's answer", () => {
  it('counts from its status line on, even if the body fails', async () => {
    receiver.answer = (_, response) => response.writeHead(200).write('the beginning');
    const outcome = await post(new WebhookSender({ timeoutMillis: 5_000 }));
    expect(outcome).toMatchObject({ statusCode: 200, error: null, response: 'the beginning' });

    receiver.answer = (_, response) => {
      response.writeHead(201, { 'Content-Length': '100' });
      response.write('cut short', () => response.socket!.destroy());
    };
    expect(await post()).toMatchObject({ statusCode: 201, error: null, response: 'cut short' });
  });

  it('is kept in part, without waiting for the rest of it', async () => {
    receiver.answer = (_, response) => response.writeHead(500).write('ä'.repeat(100_000));
    const { response } = await post();
    expect(response).toBe('ä'.repeat(EXCERPT_BYTES / 2));
  });

  it('is kept without signing secrets and without what cannot be stored', async () => {
    const secret = 'whsec_0123456789abcdefghijklmnopqrstuvwxyz+/ABCDEF=';
    receiver.answer = (_, response) => response.end(`{"secret":"${secret}"}\u0000`);
    expect(await post()).toMatchObject({ response: '{"secret":"[redacted]"}\ufffd' });

    receiver.answer = (_, response) =>
      response.end('x'.repeat(EXCERPT_BYTES - 20) + secret + 'x'.repeat(1_000));
    expect((await post()).response).not.toContain('whsec_0123');
  });
});

describe('the guard', () => {
  /** Sends to a URL whose name resolves to these addresses. */
  const byName = (url: string, ...addresses: LookupAddress[]): Promise<AttemptOutcome> =>
    post(new WebhookSender({ resolve: resolvesTo(...addresses) }), url);

  it('connects to no private address that a public name resolves to', async () => {
    const outcome = await byName(`https://hooks.example:${receiver.port}/`, HERE);
    expect(outcome).toMatchObject({
      statusCode: null,
      error: expect.stringContaining('no address to which a request may be sent'),
    });
    expect(receiver.connections).toBe(0);
  });

  it('connects over http to nothing but this machine, whatever a local name resolves to', async () => {
    const elsewhere: LookupAddress = { address: '10.0.0.1', family: 4 };
    expect(await byName('http://localhost:9/', elsewhere)).toMatchObject({
      error: expect.stringContaining('no address to which a request may be sent'),
    });
    expect(await byName(`http://localhost:${receiver.port}/`, elsewhere, HERE)).toMatchObject({
      statusCode: 200,
    });
  });

  it.each([
    ['https://127.0.0.1', loopback],
    ['https://2130706433', loopback],
    ['http://127.0.0.1', strict],
    ['http://localhost', strict],
    ['http://127.1', strict],
  ])('judges an address that stands in the URL: %s', async (origin, rules) => {
    const outcome = await post(undefined, `${origin}:${receiver.port}/`, rules);
    expect(outcome).toMatchObject({ statusCode: null, error: expect.stringMatching(/^The URL must/) });
    expect(receiver.connections).toBe(0);
  });

  it('keeps the name in the TLS handshake, though an address is connected to', async () => {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const hello = new Promise<Buffer>((resolve) => {
      server.on('connection', (socket) => {
        socket.on('data', (bytes) => {
          resolve(bytes);
          socket.destroy();
        });
        socket.on('error', () => undefined);
      });
    });
    const sender = new WebhookSender({ resolve: resolvesTo(HERE), mayConnect: () => () => true });
    const outcome = await post(sender, `https://hooks.example:${port}/`);
    expect((await hello).toString('latin1')).toContain('hooks.example');
    expect(outcome.statusCode).toBeNull();
    server.close();
  });
});
