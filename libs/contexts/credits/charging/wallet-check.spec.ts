import { describe, expect, it } from '@jest/globals';
import type { CreditType } from '../credit-types/credit-type.js';
import { createCreditClaimFinder } from './credit-costs.js';
import { requiredCredits, type WalletCheckRequest } from './wallet-check.js';

const AT = '2026-01-10T00:00:00.000Z';

const type = (creditType: string, ...rates: [metricId: string, creditsPerUnit: string][]): CreditType => ({
  creditType,
  name: creditType,
  unitPrice: '1',
  currency: 'USD',
  overage: 'block',
  overagePrice: null,
  expiresAfterDays: null,
  createdAt: AT,
  allowances: [],
  rates: rates.map(([metricId, creditsPerUnit]) => ({
    rateId: `rate_${metricId}`,
    metricId,
    creditsPerUnit,
    groups: [],
    effectiveAt: AT,
    createdAt: AT,
  })),
});
const metric = (metricId: string, eventName: string) => ({
  metricId,
  version: 1,
  workspaceId: 'acc_1',
  eventName,
  aggregation: { type: 'count' } as const,
});
const metrics = [metric('met_call', 'call'), metric('met_minutes', 'call'), metric('met_seat', 'seat')];
const check = (creditTypes: CreditType[], request: WalletCheckRequest, at = AT) => {
  const { type: found, required } = requiredCredits({ creditTypes, metrics }, request, at);
  return [found.creditType, required];
};

describe('the credits that a request needs', () => {
  const calls = type('calls', ['met_call', '2'], ['met_minutes', '0.5']);
  const seats = type('seats', ['met_seat', '3']);

  it('are the amount, or the quantity at the rates of all metrics that count the event', () => {
    expect(check([calls], { amount: '7', quantity: '1' })).toEqual(['calls', '7']);
    expect(check([calls], { eventName: 'call', quantity: '4' })).toEqual(['calls', '10']);
    expect(check([calls], { quantity: '4' })).toEqual(['calls', '10']);
    expect(check([calls], { eventName: 'other', creditType: 'calls', quantity: '4' })).toEqual([
      'calls',
      '0',
    ]);
    expect(check([calls], {})).toEqual(['calls', null]);
  });

  it('are those of the type that charges the event', () => {
    expect(check([calls, seats], { eventName: 'seat', quantity: '2' })).toEqual(['seats', '6']);
  });

  it.each<[string, CreditType[], WalletCheckRequest, string]>([
    [
      'no credit type, of several',
      [calls, seats],
      { amount: '1' },
      'the workspace has several: calls, seats',
    ],
    ['no credit type, of none', [], { amount: '1' }, 'the workspace has none'],
    ['an event that nothing charges', [calls], { eventName: 'seat' }, 'no rate charges events named "seat"'],
    [
      'no event, of several',
      [type('all', ['met_call', '1'], ['met_seat', '1'])],
      { quantity: '1' },
      'call, seat',
    ],
    ['a quantity without any rate', [type('none')], { quantity: '1' }, 'no metric has a rate in none'],
    ['an unknown type', [calls], { creditType: 'other' }, 'No credit type "other" in this workspace'],
  ])('are not clear with %s', (_, types, request, message) => {
    let refused: unknown;
    try {
      check(types, request);
    } catch (error) {
      refused = error;
    }
    const { message: said, details = [] } = refused as { message: string; details?: { message: string }[] };
    expect([said, ...details.map((one) => one.message)].join()).toContain(message);
  });

  it('do not include a metric whose aggregation was changed to one that cannot be charged, as charging does', () => {
    const changed = metrics.map((one) =>
      one.metricId === 'met_call'
        ? { ...one, version: 2, aggregation: { type: 'max', property: 'size' } as const }
        : one,
    );
    const asked = (eventName: string) =>
      requiredCredits({ creditTypes: [calls], metrics: changed }, { eventName, quantity: '4' }, AT).required;
    expect(asked('call')).toBe('2');
    const costs = createCreditClaimFinder([calls], changed)!;
    expect(costs({ customerId: 'cust_1', eventName: 'call', timestamp: AT, properties: {} })).toMatchObject([
      { metricId: 'met_minutes' },
    ]);
  });

  it('do not include a rate that begins later', () => {
    expect(
      check([calls], { creditType: 'calls', eventName: 'call', quantity: '4' }, '2026-01-09T00:00:00.000Z'),
    ).toEqual(['calls', '0']);
  });
});
