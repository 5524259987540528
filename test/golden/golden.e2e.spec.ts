import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pMap from 'p-map';
import { startSystem, type System } from '../support/index.ts';
import type { GoldenCase } from './adapter/index.ts';
import { GoldenClient, unreachable } from './http/index.ts';
import { mismatchesOf } from './mismatches.ts';

/* The worked cases as a client of the API would ask them, but for those that it cannot. */

const cases = JSON.parse(readFileSync(join(import.meta.dirname, 'cases.json'), 'utf8')) as GoldenCase[];
const reachable = cases.filter((golden) => unreachable(golden) === undefined);

/** A case waits for the clock most of its time, so several are asked at once. */
const AT_ONCE = 3;

let system: System;
let client: GoldenClient;
/** By the id of the case: what the API answered, or the error. */
const answers = new Map<string, PromiseSettledResult<Readonly<Record<string, unknown>>>>();
beforeAll(async () => {
  system = await startSystem();
  // A client asks one case at a time, since its cases can share a workspace.
  const idle = Array.from({ length: AT_ONCE }, () => new GoldenClient(system));
  client = idle[0]!;
  const evaluate = async (golden: GoldenCase) => {
    const own = idle.pop()!;
    const [answer] = await Promise.allSettled([own.evaluate(golden)]);
    answers.set(golden.id, answer);
    idle.push(own);
  };
  await pMap(reachable, evaluate, { concurrency: AT_ONCE });
}, 600_000);
afterAll(async () => system?.stop());

function answerTo({ id }: GoldenCase): Readonly<Record<string, unknown>> {
  const answer = answers.get(id)!;
  if (answer.status === 'rejected') throw answer.reason;
  return answer.value;
}

describe.each([...Map.groupBy(reachable, ({ given }) => given.kind)])('%s', (_, ofKind) => {
  it.each(ofKind.map((golden) => [golden.id, golden] as const))('%s', (_id, golden) => {
    // What is not told over HTTP: the amount before its rounding is, the number of periods is not.
    const { periods_billed: _notTold, ...expected } = golden.expect;
    expect(answerTo(golden)).toMatchObject(expected);
  });
});

const block = { priority: 1, effectiveAt: '2025-01-01T00:00:00Z', expiresAt: null, source: 'grant' };
const one = { at: '2025-01-02T00:00:00Z', amount: '1' };
const allowance = { amount: '100', max_rollover: '50', min_rollover: '0' };

describe('a case of credits that the file does not have', () => {
  const more: Record<string, [given: GoldenCase['given'], expected: GoldenCase['expect']]> = {
    // `soon` burns first: 10 - 4 voided - 5 used = 1, which expires. The key k counts once. `later`: 10 - 3, and the rest is voided.
    'voids from all blocks, a repeated key and an expiry': [
      {
        kind: 'credits',
        grants: [
          { ...block, id: 'later', amount: '10' },
          { ...block, id: 'soon', amount: '10', expiresAt: '2025-01-10T00:00:00Z' },
        ],
        debits: [
          { at: '2025-01-03T00:00:00Z', amount: '5', key: 'k' },
          { at: '2025-01-04T00:00:00Z', amount: '5', key: 'k' },
          { at: '2025-01-10T00:00:00Z', amount: '3' },
          { at: '2025-01-12T00:00:00Z', amount: '2.5' },
        ],
        voids: [{ at: '2025-01-02T00:00:00Z', amount: '4' }, { at: '2025-01-11T00:00:00Z' }],
      } as GoldenCase['given'],
      { balances: { later: '0', soon: '0' }, uncovered: '2.5' },
    ],
    'usage that the credits cover in part': [
      { kind: 'credit_policy', balance: '100', debit: '150', overage: 'allow' } as GoldenCase['given'],
      { accepted: true, balance: '0', covered: '100', uncovered: '50' },
    ],
    // 5 is the threshold, so 15 are there. 4.5 is below it, so 14.5 are there.
    'top-ups at the threshold, one after another': [
      {
        kind: 'auto_topup',
        threshold: '5',
        credits: '10',
        balances: ['8', '5', '4.5', '20'],
      } as GoldenCase['given'],
      { topups: [false, true, true, false], balance_after: '20' },
    ],
    'a minimum after overage': [
      { kind: 'reset', used: '130', grant: { ...allowance, min_rollover: '10' } } as GoldenCase['given'],
      { balance_after: '10', overage_after: '0' },
    ],
    // 120 of 140 are used: nothing is left of the first, and 20 of the second.
    'allowances that are used in their order': [
      {
        kind: 'reset_many',
        grants: [
          { ...allowance, id: 'a' },
          { id: 'b', amount: '40', max_rollover: '40', min_rollover: '10' },
        ],
        used: '120',
      } as GoldenCase['given'],
      { balances: { a: '0', b: '20' }, balance_after: '20', overage_after: '0' },
    ],
    // 70 are left of the first, and 50 of them stay. Nothing is left of the second, and it keeps its minimum.
    'allowances that are used each by itself': [
      {
        kind: 'reset_many',
        grants: [
          { ...allowance, id: 'a', used: '30' },
          { id: 'b', amount: '40', max_rollover: '40', min_rollover: '10', used: '40' },
        ],
      } as GoldenCase['given'],
      { balances: { a: '50', b: '10' }, balance_after: '60', overage_after: '0' },
    ],
  };

  it.each(Object.entries(more))('%s', async (id, [given, expected]) => {
    const golden = { id, given, expect: expected };
    expect(unreachable(golden)).toBeUndefined();
    expect(mismatchesOf(golden)).toEqual([]);
    expect(await client.evaluate(golden)).toMatchObject(expected);
  });
});

describe('a case that the API cannot be asked', () => {
  it('is one of 11, for these reasons', () => {
    const reasons = cases.flatMap((golden) => unreachable(golden) ?? []);
    const counts = [...Map.groupBy(reasons, (reason) => reason)].map(([reason, { length }]) => [
      reason,
      length,
    ]);
    expect(Object.fromEntries(counts)).toEqual({
      'a change of cadence begins a new period at its instant; these keep the anchor': 2,
      'prices are not below zero, and have at most 15 decimals': 2,
      'the first period begins at the end of the trial': 3,
      'its period is no month, quarter or year': 3,
      'a period can be anchored on a day of the month, not on another month': 1,
    });
    expect(reasons.length + reachable.length).toBe(cases.length);
  });

  it.each<[reason: string, given: object]>([
    [
      'what happens after `as_of` has not happened at `as_of`',
      { kind: 'credits', grants: [], debits: [one], as_of: '2025-01-01T00:00:00Z' },
    ],
    ['a grant is above zero', { kind: 'credits', grants: [{ ...block, id: 'a', amount: '0' }], debits: [] }],
    ['a grant is above zero', { kind: 'credit_policy', balance: '0', debit: '1', overage: 'allow' }],
    [
      'credits expire after their grant',
      {
        kind: 'credits',
        grants: [{ ...block, id: 'a', amount: '1', expiresAt: block.effectiveAt }],
        debits: [],
      },
    ],
    [
      'credits cannot be used before they are granted',
      {
        kind: 'credits',
        grants: [{ ...block, id: 'a', amount: '1', createdAt: '2025-01-03T00:00:00Z' }],
        debits: [one],
      },
    ],
    [
      'a part of a block cannot be voided; a number of credits is voided in the order of burning',
      {
        kind: 'credits',
        grants: [
          { ...block, id: 'a', amount: '1' },
          { ...block, id: 'b', amount: '5', priority: 2 },
        ],
        debits: [],
        voids: [{ ...one, id: 'b' }],
      },
    ],
    ['no balance is below zero', { kind: 'auto_topup', threshold: '5', credits: '1', balances: ['-1'] }],
    [
      'credits are bought again until the balance is above the threshold',
      { kind: 'auto_topup', threshold: '5', credits: '1', balances: ['4'] },
    ],
    [
      'overage is billed when its period ends; no later credits pay for it',
      { kind: 'reset', grant: allowance, used: '101', preserve_overage: true },
    ],
    [
      'credits of one type are used in their order, so not also each by itself',
      { kind: 'reset_many', grants: [{ ...allowance, id: 'a', used: '1' }], used: '1' },
    ],
  ])('because %s', (reason, given) => {
    expect(unreachable({ id: 'made-up', given: given as GoldenCase['given'], expect: {} })).toBe(reason);
  });
});
