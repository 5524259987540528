import { describe, it } from '@jest/globals';
import { react, recordedEvent } from '#libs/kernel/testing';
import { invoiceEvents } from '../../../test/support/sample-invoice.js';
import { BILLING_DEFAULTS } from './settings/billing-settings.js';
import { InvoicingProcess } from './invoicing.process.js';
import type { InvoiceEvent } from './events.js';

const process = new InvoicingProcess(...([] as unknown as ConstructorParameters<typeof InvoicingProcess>));
const at = '2026-02-01T00:00:00.000Z';
const reference = { invoiceId: 'inv_1', customerId: 'cust_1', currency: 'USD', total: '20.00' };
const event = (one: InvoiceEvent) => recordedEvent('invoice-acc_1.inv_1', one);
const created = (settings = BILLING_DEFAULTS) =>
  event(invoiceEvents({ at, ...reference }).created({ settings }));

const { when } = react(process);

describe('invoicing', () => {
  it('opens a draft at once, after its grace period, or only on approval', () => {
    const task = { name: 'open-invoice', payload: { invoiceId: 'inv_1' } };
    when(created()).then(task);
    when(created({ ...BILLING_DEFAULTS, gracePeriodHours: 36 })).then({
      ...task,
      dueAt: '2026-02-02T12:00:00.000Z',
    });
    when(created({ ...BILLING_DEFAULTS, autoApprove: false })).then();
  });

  it('looks at a draft without lines also if drafts wait for approval, because nobody has to review it', () => {
    const { type, data } = invoiceEvents({ at, ...reference }).created({
      settings: { ...BILLING_DEFAULTS, autoApprove: false },
    });
    when(event({ type, data: { ...data, lines: [] } })).then({
      name: 'open-invoice',
      payload: { invoiceId: 'inv_1' },
    });
  });

  it('releases the number of a voided draft, and keeps the number of an opened invoice', () => {
    const data = { at, ...reference, reason: null };
    when(event({ type: 'InvoiceVoided', data: { ...data, number: null } })).then({
      name: 'release-number',
      payload: { invoiceId: 'inv_1' },
    });
    when(event({ type: 'InvoiceVoided', data: { ...data, number: 'INV-000001' } })).then();
  });

  it('ignores the events of other contexts', () => {
    when(
      recordedEvent('customer-acc_1.cust_1', { type: 'CustomerDeleted', data: { customerId: 'cust_1' } }),
    ).then();
  });
});
