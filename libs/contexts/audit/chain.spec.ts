import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { RecordedEvent } from '#libs/kernel/domain';
import { recordedEvent } from '#libs/kernel/testing';
import { CHAIN_START, digestOf, nextLink } from './chain.js';

const event = (change: Partial<RecordedEvent> = {}): RecordedEvent => ({
  ...recordedEvent(
    'customer-acc_1.ada',
    { type: 'CustomerDeleted', data: { customerId: 'ada' } },
    { id: 'event-1', revision: 3n, position: 42n },
  ),
  ...change,
});

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('the digest of an event', () => {
  it('covers the stored event, and nothing else', () => {
    const metadata =
      '{"workspaceId":"acc_1","commandId":"command-1","correlationId":"correlation-1","causationId":null,' +
      '"actor":{"type":"api_key","id":"key_1"},"occurredAt":"2026-01-01T00:00:00.000Z","schemaVersion":1}';
    expect(digestOf(event())).toBe(
      sha256(`["event-1","customer-acc_1.ada",3,"CustomerDeleted",{"customerId":"ada"},${metadata}]`),
    );
  });

  it.each<[string, Partial<RecordedEvent>]>([
    ['id', { id: 'event-2' }],
    ['stream', { stream: 'customer-acc_1.bob' }],
    ['revision', { revision: 4n }],
    ['type', { type: 'CustomerCreated' }],
    ['data', { storedData: { customerId: 'bob' } }],
    ['metadata', { metadata: { ...event().metadata, actor: { type: 'user', id: 'usr_1' } } }],
  ])('differs when the %s differs', (_, change) => {
    expect(digestOf(event(change))).not.toBe(digestOf(event()));
  });

  it('does not depend on the position in the log or on decrypted values', () => {
    expect(digestOf(event({ position: 43n, data: { customerId: '[erased]' } }))).toBe(digestOf(event()));
  });
});

describe('the chain', () => {
  const chain = (...events: RecordedEvent[]) =>
    events.reduce((link, one) => nextLink(link, one), CHAIN_START);
  const [a, b] = [event({ id: 'a' }), event({ id: 'b' })];

  it('numbers its entries from 1 and hashes each with the hash before it', () => {
    const first = nextLink(CHAIN_START, a);
    expect(first).toEqual({
      sequence: 1,
      digest: digestOf(a),
      hash: sha256('0'.repeat(64) + digestOf(a)),
    });
    expect(nextLink(first, b)).toEqual({
      sequence: 2,
      digest: digestOf(b),
      hash: sha256(first.hash + digestOf(b)),
    });
  });

  it('is different if the order of events is different', () => {
    expect(chain(a, b).hash).not.toBe(chain(b, a).hash);
  });
});
