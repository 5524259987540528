import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStoreDBClient } from '@eventstore/db-client';
import type pg from 'pg';
import { CHAIN_START, nextLink, type AuditAnchor, type ChainLink } from '#libs/contexts/audit';
import { EventCodec, PersonalDataVault } from '#libs/kernel/event-store';
import { isAuditEntry, vocabulary } from '#libs/manifest';
import { auditEntryOf } from '#projections/audit';
import { countinghouse, endCommands } from '../../../../test/support/command.js';
import {
  createPool,
  describeOfNode,
  recordedEvents,
  startSystem,
  type System,
  type TestWorkspace,
} from '../../../../test/support/index.js';
import { holdAnchors } from '../../../../test/support/audit-anchors.js';
import { KeptTables } from '../../../../test/support/kept-tables.js';
import { billTwoMonths } from '../../../../test/support/two-billed-months.js';
import { ledgerDifferences } from '../../../../test/support/ledger-verification.js';
import { untilRead } from '../../../../test/support/until-read.js';

let system: System;
let workspace: TestWorkspace;
/** The problem of the audit anchor if an entry before it was changed. */
let anchorProblem: string;
let pool: pg.Pool;
let tables: KeptTables;

beforeAll(async () => {
  system = await startSystem();
  pool = createPool(system.database);
  workspace = await system.workspace();
  await billTwoMonths(workspace, holdAnchors(system));
  await untilRead(system);
  // Only the tests write from here on.
  await system.api.close();
  await system.saga.close();
  await system.projector.close();
  anchorProblem = await problemOfAnchor();
  tables = await KeptTables.copy(pool, CHANGED_TABLES);
});
afterAll(async () => {
  await endCommands();
  await pool?.end();
  await system?.stop();
});
afterEach(() => tables?.restore());

describe('countinghouse ledger verify', () => {
  it('finds nothing if no data was altered, even after changes to the catalog and new usage', async () => {
    const {
      differences,
      eventCount: events,
      invoiceCount: invoices,
      auditEntryCount: entries,
      anchorCount: anchors,
      newestLink: newest,
      readModelPosition: shown,
      head,
    } = await verify();
    expect(differences).toEqual([]);
    const recorded = await recordedEvents(system.node.url);
    expect({ events, head }).toEqual({ events: recorded.length, head: recorded.at(-1)!.position.commit });
    const { rows } = await pool.query<{ entries: number; hash: string }>(
      `SELECT count(*)::int AS entries, (SELECT hash FROM read.audit ORDER BY sequence DESC LIMIT 1) AS hash FROM read.audit`,
    );
    expect({ entries, hash: newest.hash }).toEqual(rows[0]);
    expect({ invoices, anchors, shown }).toEqual({ invoices: 7, anchors: 2, shown: head });
  });

  it('is a command that names a trail that was cut off, and exits with 1', async () => {
    await change('DELETE FROM read.audit WHERE sequence > 48');
    const env = { DATABASE_URL: system.database.url, EVENTSTORE_URL: system.node.url };
    const { ended, output } = countinghouse(['ledger', 'verify'], env);
    expect(await ended).toBe(1);
    expect(output.text).toMatch(
      /^position \d+ {2}audit entry 49 \(\w+ of \w+-\S+\): missing, and so with the 12 after it: the trail was cut off\n/m,
    );
    expect(output.text).toMatch(
      /^\d+ events read, to position \d+, in [\d.]+ s: 7 invoices, 61 audit entries, 2 anchors\n/m,
    );
    expect(output.text).toMatch(/^1 difference found\n/m);
  });

  it('finds nothing after a person was erased', async () => {
    await change(`UPDATE vault.keys SET key = NULL WHERE subject LIKE '%.ada'`);
    expect(await problems()).toEqual([]);
  });
});

describeOfNode('of a changed log, it finds', () => {
  it('another amount of an invoice: in its computation, its later events, the read models and the audit trail', async () => {
    await changeEvent('InvoiceCreated', '"total":"55.52"', '"total":"54.52"');
    const found = await problems();
    expect(found).toContain(anchorProblem);
    // Whether the anchored entry is before or after the payment depends on the order in which the tasks of the two customers ran.
    expect(found.filter((one) => one !== anchorProblem)).toEqual([
      'InvoiceCreated | audit entry (invoice.created inv): data.total is 55.52 and must be 54.52; ' +
        'the event (InvoiceCreated of invoice-acc.inv) is not the one that it was made of',
      'InvoiceCreated | invoice (inv) of acc: total "54.52" was issued, but "55.52" was computed',
      'InvoiceOpened | invoice (inv) of acc: InvoiceOpened says total "55.52", but it is "54.52"',
      'PaymentStarted | invoice (inv) of acc: PaymentStarted says total "55.52", but it is "54.52"',
      'PaymentSucceeded | invoice (inv) of acc: PaymentSucceeded says total "55.52", but it is "54.52"',
      'InvoicePaid | invoice (inv) of acc: InvoicePaid says total "55.52", but it is "54.52"',
      'InvoicePaid | invoice (inv) of acc: its row differs from its events: state.total is "55.52" and must be "54.52"',
    ]);
  });

  it('another price in the catalog, on every invoice that names its version', async () => {
    await changeEvent('PriceCreated', '"unitPrice":"0.0025"', '"unitPrice":"0.0035"');
    const found = await problems();
    expect(found[0]).toMatch(
      /^PriceCreated \| audit entry .* data.config.unitPrice is 0.0025 and must be 0.0035/,
    );
    expect(found).toContain(
      'InvoiceCreated | invoice (inv) of acc: line "API units": amount "4.50" was issued, but "6.30" was computed',
    );
    expect(found.filter((one) => /version 1 of price differs from the catalog/.test(one))).toHaveLength(5);
  });

  it('another version of a metric, by its measured quantities', async () => {
    await changeEvent('MetricCreated', '"property":"n"', '"property":"m"');
    expect(await problems()).toContain(
      'InvoiceCreated | invoice (inv) of acc: line "API units": quantity "1800" was issued, but "0" was computed',
    );
  });

  it('late usage with another amount', async () => {
    await changeEvent('InvoiceCreated', '"counted":"1870"', '"counted":"1970"');
    expect(await problems()).toContain(
      'InvoiceCreated | invoice (inv) of acc: line "API units (late usage)": late.quantities[0].counted "1970" was issued, but "1870" was computed',
    );
  });

  it('late usage that is not billed from the position of the usage log at which the last bill ended', async () => {
    await change(
      `UPDATE eventstore.events SET data = convert_to(
         regexp_replace(convert_from(data, 'UTF8'), '"since":"[0-9]+"', '"since":"1"'), 'UTF8')
       WHERE type = 'InvoiceCreated' AND convert_from(data, 'UTF8') LIKE '%"since"%'`,
    );
    expect(await problems()).toContainEqual(
      expect.stringMatching(
        /late usage of price from 2026-01-01T00:00:00.000Z to 2026-02-01T00:00:00.000Z was billed from position of the usage log, but it had been billed up to position$/,
      ),
    );
  });

  it('another bill', async () => {
    await changeEvent('SubscriptionRenewed', '"unitPrice":"0.0025"', '"unitPrice":"0.0035"');
    expect(await problems()).toEqual([
      expect.stringMatching(/^SubscriptionRenewed \| audit entry .* is not the one that it was made of$/),
      expect.stringMatching(
        /^InvoiceCreated \| invoice .* its bill at position, version 1 of price differs from the catalog: config.unitPrice is "0.0035" and must be "0.0025"$/,
      ),
      anchorProblem,
    ]);
  });

  // 20.00 × 19/28 unused, less 31.00 × 9/28 of support and 0.18 + 0.01 that came late for January.
  it('another amount that an invoice returned to the customer, by the lines and by the balance', async () => {
    await changeEvent('InvoiceOpened', '"balanceCredited":"3.42"', '"balanceCredited":"4.61"');
    const about = 'InvoiceOpened | invoice (inv) of acc: InvoiceOpened adds "4.61" to the balance';
    const found = await problems();
    expect(found).toContain(`${about}, but its lines give back "3.42"`);
    expect(found).toContain(
      `${about}, which got "0.00" for it, and "3.42" was taken off earlier invoices or refunded`,
    );
  });

  it('another amount that was given back on an earlier invoice, by the invoice that gave it back', async () => {
    await changeEvent('InvoiceReduced', '"amount":"3.42"', '"amount":"2.61"');
    expect(await problems()).toContain(
      'InvoiceOpened | invoice (inv) of acc: InvoiceOpened adds "3.42" to the balance, which got "0.00" for it, and "2.61" was taken off earlier invoices or refunded',
    );
  });

  it('a removed invoice, by its bill and by all data that derive from it', async () => {
    await change(
      `DELETE FROM eventstore.events WHERE stream_id = (
         SELECT stream_id FROM eventstore.events WHERE type = 'InvoiceCreated' ORDER BY position LIMIT 1)`,
    );
    const found = await problems();
    expect(found).toContain(
      'SubscriptionCreated | bill of sub of acc (SubscriptionCreated): its invoice inv was never made',
    );
    // The number of consecutive entries depends on the order in which the tasks of the two customers ran.
    expect(found).toContainEqual(
      expect.stringMatching(
        /^gone \| audit entry \(invoice\.created inv\): the log has no event for it at its place/,
      ),
    );
    expect(found).toContain(
      'gone | invoice inv of acc: it is in the list of invoices, but no event created it',
    );
  });

  it('an event without an invoice that was changed together with the audit trail, by the anchor', async () => {
    await changeEvent('WorkspaceCreated', '"mode":"sandbox"', '"mode":"live"');
    await chainAnew();
    expect(await problems()).toEqual([anchorProblem]);
  });

  it('personal data that cannot be decrypted any more', async () => {
    await changeEvent('InvoiceCreated', '"$sealed":"', '"$sealed":"AAAA');
    expect(await problems()).toEqual([
      expect.stringMatching(/^InvoiceCreated \| audit entry .* is not the one that it was made of$/),
      expect.stringMatching(
        /^InvoiceCreated \| log: InvoiceCreated \(event \S+\) of \S+ at position cannot be read/,
      ),
      anchorProblem,
    ]);
  });
});

describe('of a changed usage log, it finds', () => {
  it.each([
    [
      'a changed row',
      `UPDATE usage.events SET properties = '{"n": 1400, "region": "eu"}' WHERE properties->>'n' = '1500'`,
      '1700',
      '55.27',
    ],
    ['a row that is no more', `DELETE FROM usage.events WHERE properties->>'n' = '300'`, '1500', '54.76'],
  ])('%s, by the invoice that counted it', async (_, sql, quantity, total) => {
    await change(sql);
    const found = await problems();
    expect(found).toContain(
      `InvoiceCreated | invoice (inv) of acc: line "API units": quantity "1800" was issued, but "${quantity}" was computed`,
    );
    expect(found).toContain(
      `InvoiceCreated | invoice (inv) of acc: total "55.52" was issued, but "${total}" was computed`,
    );
  });
});

describe('of a changed read model, it finds', () => {
  const invoice = `stream = (SELECT stream FROM read.invoices WHERE state->>'total' = '55.52')`;
  it.each([
    [
      'an entry of the audit trail that says something else',
      `UPDATE read.audit SET actor_id = 'usr_x' WHERE sequence = 7`,
      [
        expect.stringMatching(
          /^PriceCreated \| audit entry \(price.created price\): actorId is "usr_x" and must be "key_\w+"$/,
        ),
      ],
    ],
    [
      'an invoice with another amount',
      `UPDATE read.invoices SET state = jsonb_set(state, '{total}', '"1.00"') WHERE ${invoice}`,
      [
        'InvoicePaid | invoice (inv) of acc: its row differs from its events: state.total is "1.00" and must be "55.52"',
      ],
    ],
    [
      'an invoice of another name, which it keeps to itself',
      `UPDATE read.invoices SET state = jsonb_set(state, '{billToName}', '"Mallory"') WHERE ${invoice}`,
      ['InvoicePaid | invoice (inv) of acc: its row differs from its events: state.billToName is another'],
    ],
    [
      'an invoice that is not listed',
      `DELETE FROM read.invoices WHERE ${invoice}`,
      ['InvoicePaid | invoice (inv) of acc: missing from the list of invoices'],
    ],
    [
      'an invoice that there is not',
      `INSERT INTO read.invoices SELECT stream || 'x', workspace_id, 'inv_forged', state, created_at, updated_at, created_position,
         status, customer_id, subscription_ids, issued_at, currency, amount_due, retry_state, next_attempt_at, tax_entries
       FROM read.invoices WHERE ${invoice}`,
      ['InvoiceCreated | invoice inv_forged of acc: it is in the list of invoices, but no event created it'],
    ],
    [
      'an entry of the ledger over another amount, and that its day sums to something else',
      `UPDATE read.ledger_postings SET amount = 99 WHERE account = 'cash' AND amount = 55.52`,
      [
        'PaymentSucceeded | ledger entries of invoice (inv) of acc: 55.52 USD on cash at 2026-02-01T00:00:00.000Z ' +
          'differs from its event: amount is "99" and must be "55.52"',
        'PaymentSucceeded | ledger of acc, cash on 2026-02-01: 55.52 USD is shown, but 99 was posted',
      ],
    ],
    [
      'an entry of the ledger that is no more',
      `DELETE FROM read.ledger_postings WHERE account = 'cash' AND amount = 55.52`,
      [
        'PaymentSucceeded | ledger entries of invoice (inv) of acc: 55.52 USD on cash at 2026-02-01T00:00:00.000Z is missing',
        'gone | ledger of acc, cash on 2026-02-01: 55.52 USD is shown, but 0 was posted',
      ],
    ],
  ])('%s', async (_, sql, expected) => {
    await change(sql);
    expect(await problems()).toEqual(expected);
  });
});

/** Writes the audit trail again from the present log, as a rebuild would. */
async function chainAnew(): Promise<void> {
  const client = EventStoreDBClient.connectionString(system.node.url);
  const resolved = [];
  for await (const one of client.readAll()) resolved.push(one);
  const events = await new EventCodec(new PersonalDataVault(pool), vocabulary()).decode(resolved);
  let link: ChainLink = CHAIN_START;
  for (const event of events.filter(isAuditEntry)) {
    const { sequence, digest, hash } = (link = nextLink(link, event));
    const { data } = auditEntryOf(event)!;
    await pool.query('UPDATE read.audit SET digest = $2, hash = $3, data = $4 WHERE sequence = $1', [
      sequence,
      digest,
      hash,
      data,
    ]);
  }
  await client.dispose();
}

async function verify(workspaceId?: string) {
  const verification = await ledgerDifferences(system, workspaceId);
  expect(verification.differenceCount).toBe(verification.differences.length);
  return verification;
}

/**
 * Returns the found differences as text. Each begins with the type of the event at its position. Ids and numbers are omitted, because two
 * invoices of the same instant can be created in any order.
 */
async function problems(): Promise<string[]> {
  const { differences } = await verify();
  const types = await typesByPosition();
  return differences.map(({ position, subject, problem }) => {
    const text = `${types.get(position) ?? 'gone'} | ${subject}: ${problem}`;
    return text
      .replaceAll(/\b(acc|inv|met|price|sub)_\w{26}/g, '$1')
      .replaceAll(/\bINV-\d{6} |(?<=\b(?:audit entry|position)) \d+| \(made at [^)]*\)/g, '');
  });
}

async function typesByPosition(): Promise<Map<bigint | undefined, string>> {
  const events = await recordedEvents(system.node.url);
  return new Map(events.map(({ position, type }) => [position.commit, type]));
}

/** Replaces a text on disk in the data of the first event of this type that contains it. */
async function changeEvent(type: string, before: string, after: string): Promise<void> {
  const { rowCount } = await pool.query(
    `UPDATE eventstore.events SET data = convert_to(replace(convert_from(data, 'UTF8'), $2, $3), 'UTF8')
     WHERE position = (
       SELECT position FROM eventstore.events
       WHERE type = $1 AND position(convert_to($2, 'UTF8') IN data) > 0 ORDER BY position LIMIT 1)`,
    [type, before, after],
  );
  expect(rowCount).toBe(1);
}

async function change(sql: string): Promise<void> {
  expect((await pool.query(sql)).rowCount).toBeGreaterThan(0);
}

/**
 * Returns the problem that is found if an event before the first anchor was changed. Its text begins with the type of the last event before
 * the anchor, which is the opening or the payment of either invoice of January.
 */
async function problemOfAnchor(): Promise<string> {
  const events = await recordedEvents(system.node.url);
  const anchored = events.find(({ type }) => type === 'AuditAnchored')!.data as unknown as AuditAnchor;
  const type = (await typesByPosition()).get(BigInt(anchored.position));
  const { sequence } = anchored;
  const found = `does not fit the events: one of entries 1 to ${sequence} was changed, added or removed since, or the anchor was`;
  return `${type} | audit anchor of entry ${sequence}: ${found}`;
}

const CHANGED_TABLES = [
  'eventstore.events',
  'usage.events',
  'read.audit',
  'read.invoices',
  'read.ledger_postings',
  'read.ledger_daily_balances',
  'vault.keys',
];
