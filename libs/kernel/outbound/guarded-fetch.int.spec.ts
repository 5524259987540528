import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Receiver } from '../../../test/support/receiver.js';
import { guardedFetch, OutboundRequestRefused } from './guarded-fetch.js';

let receiver: Receiver;
beforeEach(async () => {
  receiver = await Receiver.start();
});
afterEach(() => receiver.close());

const answerWith = (status: number, headers = {}): Promise<Response> => {
  receiver.answer = (_, response) => response.writeHead(status, headers).end();
  return guardedFetch(receiver.url, { method: 'GET', headers: {} }, { allowsLoopback: true });
};

describe('a request to a URL of a workspace', () => {
  it.each([200, 204, 205, 304, 404, 599])('is answered with status %d', async (status) => {
    expect(await answerWith(status)).toMatchObject({ status });
  });

  it.each([101, 600, 999])('rejects for an answer with status %d', async (status) => {
    await expect(answerWith(status)).rejects.toThrow(OutboundRequestRefused);
  });

  it('rejects for a receiver that changes the protocol', async () => {
    await expect(answerWith(101, { Connection: 'upgrade', Upgrade: 'websocket' })).rejects.toThrow(
      OutboundRequestRefused,
    );
  });
});
