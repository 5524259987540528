import { describe, expect, it } from '@jest/globals';
import type { Invoice } from '#libs/contexts/invoicing';
import type { ComputedCommitment, InvoiceLine } from '#libs/rating';
import { billedCommitments, commitmentsWithLateUsage } from './billed-commitments.js';
import { lateCommitmentProblems } from './late-usage-problems.js';

const january = { start: '2026-01-01T00:00:00.000Z', end: '2026-02-01T00:00:00.000Z' };

const reading: ComputedCommitment = { parts: [], service: january, due: '100.00', counted: '30.00' };
const invoice = (invoiceId: string, more: Partial<Invoice>): Invoice =>
  ({
    invoiceId,
    currency: 'USD',
    status: 'open',
    lines: [],
    creditNotes: [],
    total: '100.00',
    ...more,
  }) as unknown as Invoice;
const line = (id: string, amount: string, invoiceId?: string): InvoiceLine =>
  ({
    id,
    type: 'minimum',
    amount,
    commitment: { parts: [], due: '100.00', counted: '30.00', ...(invoiceId ? { invoiceId } : {}) },
  }) as unknown as InvoiceLine;

const first = (more: Partial<Invoice> = {}): Invoice =>
  invoice('inv_1', { commitment: reading, lines: [line('l1', '70.00')], ...more });
const second = (more: Partial<Invoice> = {}): Invoice =>
  invoice('inv_2', {
    lateCommitments: [{ ...reading, invoiceId: 'inv_1', atMost: '70.00', recounted: '50.00' }],
    lines: [line('l2', '-20.00', 'inv_1')],
    ...more,
  });

describe('billed commitments', () => {
  it('have their newest count, and the remaining part of the amount billed to reach them', () => {
    const source = { invoiceId: 'inv_1', lineId: 'l1', taxRates: [] };
    expect(billedCommitments([first()], 'inv_9')).toEqual([
      { ...reading, invoiceId: 'inv_1', atMost: '70.00', sources: [{ ...source, left: '70.00' }] },
    ]);
    const givenBack = [{ byInvoiceId: 'inv_2', lines: [{ lineId: 'l1', amount: '20.00' }] }];
    expect(billedCommitments([first({ givenBack }), second()], 'inv_9')).toEqual([
      {
        ...reading,
        invoiceId: 'inv_1',
        counted: '50.00',
        atMost: '50.00',
        sources: [{ ...source, left: '50.00' }],
      },
    ]);
    const more = second({ lines: [line('l2', '5.00', 'inv_1')] });
    expect(billedCommitments([first(), more], 'inv_9')[0]!.sources).toMatchObject([
      { invoiceId: 'inv_2', lineId: 'l2', left: '5.00' },
      { invoiceId: 'inv_1', lineId: 'l1', left: '70.00' },
    ]);
    expect(billedCommitments([invoice('inv_0', {}), first({ lines: [] })], 'inv_9')).toMatchObject([
      { invoiceId: 'inv_1', atMost: '0.00' },
    ]);
  });

  it('are billed only by their own lines', () => {
    const fee = { id: 'fee', type: 'flat', amount: '10.00' } as unknown as InvoiceLine;
    const own = first({ lines: [fee, line('l0', '5.00', 'inv_0'), line('l1', '70.00')] });
    const later = second({
      lateCommitments: [
        { ...reading, invoiceId: 'inv_1', atMost: '70.00', recounted: '50.00' },
        { ...reading, invoiceId: 'inv_0', atMost: '70.00', recounted: '99.00' },
      ],
      lines: [fee, line('l2', '3.00', 'inv_1'), line('l3', '4.00', 'inv_0'), line('l4', '6.00')],
    });
    const billed = billedCommitments([own, later], 'inv_9');
    expect(billed).toMatchObject([{ counted: '50.00', atMost: '73.00' }]);
    expect(billed[0]?.sources?.map(({ lineId }) => lineId)).toEqual(['l2', 'l1']);
  });

  it('have no remaining amount if the invoice is void', () => {
    expect(billedCommitments([first({ status: 'void' })], 'inv_9')).toMatchObject([{ atMost: '0.00' }]);
    // A void invoice still marks its usage as searched, but its give-backs do not count.
    expect(billedCommitments([first(), second({ status: 'void' })], 'inv_9')).toMatchObject([
      { counted: '50.00', atMost: '70.00' },
    ]);
  });

  it('are counted again if their time has late usage', () => {
    const billed = billedCommitments([first()], 'inv_9');
    expect(
      commitmentsWithLateUsage(billed, [{ start: '2026-01-10T00:00:00.000Z', end: january.end }]),
    ).toEqual(billed);
    const february = { start: january.end, end: '2026-03-01T00:00:00.000Z' };
    expect(commitmentsWithLateUsage(billed, [february])).toEqual([]);
    expect(commitmentsWithLateUsage(billed, [february, january])).toEqual(billed);
    expect(
      commitmentsWithLateUsage(billed, [{ start: '2025-12-01T00:00:00.000Z', end: january.start }]),
    ).toEqual([]);
  });

  it('are the start of the next count, and anything else is a problem', () => {
    const billed = billedCommitments([first(), second()], 'inv_9');
    expect(lateCommitmentProblems(billed, billed)).toEqual([]);
    const name = 'the minimum commitment of invoice inv_1';
    expect(lateCommitmentProblems([], billed)).toEqual([`${name} was not counted again with its late usage`]);
    expect(lateCommitmentProblems(billed, [])).toEqual([
      `${name} was counted again, but its interval has no late usage`,
    ]);
    expect(lateCommitmentProblems([{ ...billed[0]!, counted: '30.00' }], billed)).toEqual([
      `${name} was counted again from counted 30.00, but it was 50.00`,
    ]);
  });
});
