import { describe, expect, it } from '@jest/globals';
import { readMessage, addIdempotencyKeys, type UsageMessage } from './usage-message.js';

const message = (data: string | Uint8Array, more: Partial<UsageMessage> = {}): UsageMessage => ({
  subject: 'countinghouse.usage.acc_1',
  data: Buffer.from(data),
  seq: 7,
  timestampNanos: 1_767_225_600_000_000_123n,
  ...more,
});

describe('a message of usage', () => {
  it('contains one event, a list, or {"events": […]}, like a request', () => {
    expect(readMessage(message('{"eventName":"call"}'), 10)).toEqual([{ eventName: 'call' }]);
    expect(readMessage(message('[{"a":1},2]'), 10)).toEqual([{ a: 1 }, 2]);
    expect(readMessage(message('{"events":[{"a":1}]}'), 10)).toEqual([{ a: 1 }]);
    // The intake checks the single events.
    expect(readMessage(message('[{"__proto__":1},2]'), 10)).toHaveLength(2);
  });

  it.each([
    ['not JSON', '{"eventName":', { code: 'malformed_json' }],
    ['empty', '', { code: 'malformed_json' }],
    [
      'not UTF-8',
      Uint8Array.of(0x22, 0xff, 0x22),
      { code: 'malformed_json', reason: 'The message is not UTF-8' },
    ],
    ['no object', '7', { code: 'validation_failed' }],
    ['more events than a request may have', '[{},{},{}]', { code: 'too_many_events', field: 'events' }],
  ])('is rejected as a whole, with the sent data, if it is %s', (_, data, expected) => {
    expect(readMessage(message(data), 2)).toMatchObject({ ...expected, data: Buffer.from(data) });
  });
});

describe('the keys of its events', () => {
  it('are their own keys, or else the position and time in the stream', () => {
    expect(
      addIdempotencyKeys([{ idempotencyKey: 'mine' }, { a: 1 }, { idempotencyKey: null }], message('')),
    ).toEqual([
      { idempotencyKey: 'mine' },
      { a: 1, idempotencyKey: 'nats:7:1767225600000000123:1' },
      { idempotencyKey: 'nats:7:1767225600000000123:2' },
    ]);
  });

  it('are not added to an invalid event, which is rejected later', () => {
    expect(addIdempotencyKeys([null, 'text', [1]], message(''))).toEqual([null, 'text', [1]]);
  });
});
