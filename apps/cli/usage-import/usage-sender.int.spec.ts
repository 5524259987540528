import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { UsageSender } from './usage-sender.js';

const rows = [{ row: 1, event: { properties: {} } }];

describe('UsageSender', () => {
  let close = () => {};
  afterEach(() => close());

  /** Starts a server that gives these answers, one to each request. */
  async function serve(...answers: RequestListener[]): Promise<string> {
    const server = createServer((request, response) => {
      request.resume().on('end', () => answers.shift()!(request, response));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    close = () => {
      server.close();
      server.closeAllConnections();
    };
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  const stored: RequestListener = (_, response) =>
    void response.end(JSON.stringify({ accepted: ['evt_1'], rejected: [] }));
  const away: RequestListener = (_, response) => void response.writeHead(503).end('{"error":"closing"}');
  const brokenOff: RequestListener = (request) => void request.socket.destroy();

  it.each([200, 503])('sends rows again if the body of an answer with %i breaks off', async (status) => {
    const incomplete: RequestListener = (_, response) => {
      response.writeHead(status, { 'content-length': 100 }).write('{"acc', () => response.destroy());
    };
    const said: string[] = [];
    const url = await serve(incomplete, stored);
    const sender = new UsageSender(url, 'key', (text) => said.push(text));
    expect(await sender.send(rows)).toMatchObject({ accepted: 1, rejected: [] });
    expect(said).toEqual([expect.stringMatching(`^${url} does not answer .*; waiting for it`)]);
  });

  it('waits for an API that goes away, and says so once in every outage', async () => {
    const said: string[] = [];
    const url = await serve(brokenOff, away, stored, away, stored);
    const sender = new UsageSender(url, 'key', (text) => said.push(text));
    expect(await sender.send(rows)).toMatchObject({ accepted: 1 });
    expect(await sender.send(rows)).toMatchObject({ accepted: 1 });
    expect(said).toEqual([
      expect.stringMatching(`^${url} does not answer .*; waiting for it, for up to 5 minutes$`),
      `${url} answered with 503: closing; waiting for it, for up to 5 minutes`,
    ]);
  });

  it('gives up at once when nothing has ever answered at the address', async () => {
    const url = await serve();
    close();
    const sender = new UsageSender(url, 'key', () => undefined);
    await expect(sender.send(rows)).rejects.toThrow('set COUNTINGHOUSE_URL or --url');
  });
});
