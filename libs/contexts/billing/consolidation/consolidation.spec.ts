import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import { consolidatedInvoiceId, consolidationDecider } from './consolidation.js';
import type { Consolidation, ConsolidationEvent } from './events.js';

const { given } = decide(consolidationDecider);

const due = {
  customerId: 'cust_1',
  currency: 'USD',
  kind: 'cycle',
  billedAt: '2026-02-01T00:00:00.000Z',
} as const;
const of = (...subscriptionIds: string[]): Consolidation => ({ invoiceId: 'inv_1', ...due, subscriptionIds });
const consolidate = (consolidation: Consolidation) =>
  ({ type: 'ConsolidateInvoice', consolidation }) as const;
const consolidated = (data: Consolidation): ConsolidationEvent => ({ type: 'InvoiceConsolidated', data });

describe('the subscriptions of a consolidated invoice', () => {
  it('are decided once, and later subscriptions are not added', () => {
    given()
      .when(consolidate(of('sub_1', 'sub_2')))
      .then(consolidated(of('sub_1', 'sub_2')));
    given(consolidated(of('sub_1')))
      .when(consolidate(of('sub_1', 'sub_2')))
      .then();
  });

  it('are found by an id that is derived from the shared fields', () => {
    const invoiceId = consolidatedInvoiceId('acc_1', due);
    expect(invoiceId).toMatch(/^inv_/);
    expect(consolidatedInvoiceId('acc_1', { ...due })).toBe(invoiceId);
    const others = [
      consolidatedInvoiceId('acc_2', due),
      consolidatedInvoiceId('acc_1', { ...due, customerId: 'cust_2' }),
      consolidatedInvoiceId('acc_1', { ...due, currency: 'EUR' }),
      consolidatedInvoiceId('acc_1', { ...due, kind: 'final' }),
      consolidatedInvoiceId('acc_1', { ...due, billedAt: '2026-03-01T00:00:00.000Z' }),
    ];
    expect(new Set([invoiceId, ...others]).size).toBe(6);
  });
});
