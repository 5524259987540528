import { describe, expect, it } from '@jest/globals';
import type { LogEvent } from '../streams/events.js';
import { encodeEventResponse } from './event-encoder.js';
import { eventResponseMessage } from './read-responses.js';
import { ReadResp } from './stubs.js';

const base: LogEvent = {
  position: 1,
  stream: 's',
  revision: 0,
  id: '4c8f4c3e-3a5e-4f6b-9d53-6a86c1c1f0aa',
  type: 'T',
  isJson: true,
  createdMicros: 1_700_000_000_123_000,
  data: Buffer.from('{"n":1}'),
  metadata: Buffer.from('{"m":1}'),
};

describe('an event written directly', () => {
  it.each<[string, Partial<LogEvent>]>([
    ['plain', {}],
    ['binary', { isJson: false }],
    ['without payload and metadata', { data: new Uint8Array(0), metadata: new Uint8Array(0) }],
    ['with names beyond ASCII', { stream: 'größe-✓-𝄞', type: 'Ä'.repeat(100) }],
    ['with long names', { stream: 'x'.repeat(2_000), type: 'y'.repeat(20_000) }],
    ['large', { data: Buffer.alloc(1_000_000, 7), metadata: Buffer.alloc(300, 8) }],
    ['at the edges of varints', { position: 127, revision: 128 }],
    ['at more edges of varints', { position: 16_383, revision: 16_384 }],
    ['far into the log', { position: 2 ** 53 - 1, revision: 2 ** 40 + 5 }],
    ['a tombstone', { revision: 2 ** 63, type: '$streamDeleted' }],
  ])('%s reads as the generated code writes it', (_, more) => {
    const event = { ...base, ...more };
    const generated = eventResponseMessage({ event }, { usesStructuredUuids: false });
    const direct = ReadResp.deserializeBinary(encodeEventResponse(event));
    expect(direct.toObject()).toEqual(ReadResp.deserializeBinary(generated.serializeBinary()).toObject());
  });

  it('carries its link, and a link that leads nowhere', () => {
    const link = { ...base, position: 900, stream: 'links', type: '$>' };
    for (const event of [base, undefined]) {
      const generated = eventResponseMessage({ event, link }, { usesStructuredUuids: false });
      const direct = ReadResp.deserializeBinary(encodeEventResponse(event, link));
      expect(direct.toObject()).toEqual(ReadResp.deserializeBinary(generated.serializeBinary()).toObject());
    }
  });
});
