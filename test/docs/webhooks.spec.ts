import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { systemClock } from '#libs/kernel/system';
import { recordedEvent } from '#libs/kernel/testing';
import type { AggregateStore } from '#libs/kernel/event-store';
import type { InvoiceLine } from '#libs/rating';
import { invoiceOf, sampleEvents } from '../support/sample-invoice.js';
import { MessageDataMaker } from '../../libs/outputs/webhooks/public-events/message-data-maker.js';
import { envelopeOf } from '../../libs/outputs/webhooks/public-events/envelope.js';
import { webhookMessageOf } from '../../libs/outputs/webhooks/public-events/messages.js';
import { publicEventNames } from '../../libs/outputs/webhooks/public-events/names.js';
import { DELIVERY_RETRY_DELAY_SECONDS } from '../../libs/outputs/webhooks/delivery/retry-schedule.js';
import {
  newSigningSecret,
  signatureHeaders,
  countinghouseSignatureOf,
  countinghouseTimestamp,
  standardWebhooksSignatureOf,
  standardWebhooksTimestamp,
} from '../../libs/outputs/webhooks/delivery/signature.js';

type EventOf = (secret: string, headers: Record<string, string>, body: string) => unknown;
type IsGenuine = (secret: string, headers: Record<string, string>, body: string, now: number) => boolean;

const docs = (): Promise<string> => readFile(join(import.meta.dirname, '../../docs/webhooks.md'), 'utf8');

it('shows the body of an event as it is sent', async () => {
  type Line = { quantity: number; unitPrice?: number; amount: number; subscriptionId: string };
  const shown = JSON.parse(/```json invoice-created\n([\s\S]*?)```/.exec(await docs())![1]!) as {
    id: string;
    timestamp: string;
    data: { id: string; subscriptionId: string; dueDate: string; lines: (Line & InvoiceLine)[] };
  };
  const { id: invoiceId, subscriptionId, dueDate } = shown.data;
  const about = { invoiceId, customerId: 'northwind', total: '23.75', at: shown.timestamp };
  const lines = shown.data.lines.map(({ subscriptionId: _, quantity, unitPrice, amount, ...line }) => ({
    ...line,
    quantity: String(quantity),
    amount: String(amount),
    ...(unitPrice === undefined ? {} : { unitPrice: String(unitPrice) }),
  }));
  const [{ periodStart, periodEnd }] = lines as [InvoiceLine];
  const created = sampleEvents.created({ ...about, subscriptionId, lines, periodStart, periodEnd });
  const opened = sampleEvents.opened({ ...about, kind: 'cycle', dueDate });
  const state = invoiceOf(created, opened);
  const messages = new MessageDataMaker({ loadAt: async () => state } as unknown as AggregateStore);

  const metadata = { occurredAt: shown.timestamp, revision: 1n };
  const { data, ...message } = webhookMessageOf(
    recordedEvent(`invoice-acc_1.${invoiceId}`, opened, metadata),
  )!;
  const said = { ...message, data: JSON.stringify(data) };
  const sent = envelopeOf(shown.id, { ...message, data: await messages.makeData('acc_1', said) });
  expect(JSON.parse(sent)).toEqual(shown);
  expect(Object.keys(JSON.parse(sent) as object)).toEqual(Object.keys(shown));
});

it('lists every event that there is, and when an event is sent again', async () => {
  const text = await docs();
  const listed = [...text.matchAll(/^\| `([a-z_]+\.[a-z_]+)`/gm)].map(([, name]) => name!);
  expect(listed.toSorted()).toEqual([...publicEventNames()].toSorted());
  const seconds = { seconds: 1, minutes: 60, hours: 3_600 } as const;
  const waits = [...text.matchAll(/^\| \d +\| (\d+) (seconds|minutes|hours) +\|$/gm)].map(
    ([, count, unit]) => Number(count) * seconds[unit as keyof typeof seconds],
  );
  expect(waits).toEqual(DELIVERY_RETRY_DELAY_SECONDS);
});

it('tells a delivery of ours from any other by the code in docs/webhooks.md', async () => {
  const text = await docs();
  const code = /```js verify-webhook\n([\s\S]*?)```/.exec(text)![1]!;
  const folder = await mkdtemp(join(tmpdir(), 'countinghouse-docs-'));
  try {
    await writeFile(join(folder, 'verify.mjs'), code);
    const { isGenuine } = (await import(join(folder, 'verify.mjs'))) as { isGenuine: IsGenuine };
    const [secret, body, sent] = ['whsec_abc', '{"total":0.10}', '2026-02-01T00:00:00.123Z'];
    const timestamp = countinghouseTimestamp(sent);
    const headers = {
      'x-service-timestamp': timestamp,
      'x-service-signature': countinghouseSignatureOf(secret, timestamp, body),
    };
    const now = Date.parse(sent) + 60_000;
    expect(isGenuine(secret, headers, body, now)).toBe(true);
    expect(isGenuine(secret, headers, '{"total":0.1}', now)).toBe(false);
    expect(isGenuine('whsec_abd', headers, body, now)).toBe(false);
    expect(isGenuine(secret, { ...headers, 'x-service-timestamp': '2026-02-01T00:00:01Z' }, body, now)).toBe(
      false,
    );
    expect(isGenuine(secret, headers, body, now + 600_000)).toBe(false);
    expect(isGenuine(secret, {}, body, now)).toBe(false);
    const rotated = { current: 'whsec_next', previous: secret };
    const both = Object.entries(signatureHeaders(rotated, 'evt_1', sent, body));
    const lowered = Object.fromEntries(both.map(([name, value]) => [name.toLowerCase(), value]));
    for (const known of [rotated.current, rotated.previous])
      expect(isGenuine(known, lowered, body, now)).toBe(true);
    expect(isGenuine('whsec_abd', lowered, body, now)).toBe(false);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

it('reads a delivery with the standardwebhooks package as in docs/webhooks.md', async () => {
  const code = /```js verify-standard\n([\s\S]*?)```/.exec(await docs())![1]!;
  // There the package is found, and no check reads the sources.
  const folder = await mkdtemp(join(import.meta.dirname, '../../node_modules/.verify-standard-'));
  const file = join(folder, 'verify.mjs');
  try {
    await writeFile(file, code);
    const { eventOf } = (await import(file)) as { eventOf: EventOf };
    const [secret, body, timestamp] = [
      newSigningSecret(),
      '{"total":0.10}',
      standardWebhooksTimestamp(systemClock.now()),
    ];
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': timestamp,
      'webhook-signature': standardWebhooksSignatureOf(secret, 'evt_1', timestamp, body),
    };
    expect(eventOf(secret, headers, body)).toEqual({ total: 0.1 });
    expect(() => eventOf(newSigningSecret(), headers, body)).toThrow('No matching signature found');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
