import type { Catalog } from './catalog.ts';
import { advance, attach, invoicesOf, settle, subscriptionOf, use, type Sandbox } from './sandbox.ts';

/** Periods end; what went wrong in them is put right. */
export async function playFebruary(sandbox: Sandbox, catalog: Catalog): Promise<void> {
  await creditBalance(sandbox);
  await advance(sandbox, '2026-02-01T00:00:00Z');
  await advance(sandbox, '2026-02-03T00:00:00Z');
  // Of a period that is billed.
  await use(sandbox, 'north', 'call', '2026-01-30T00:00:00Z', [{ units: 40, kind: 'billed', user: 'late' }]);
  await voidInvoices(sandbox, catalog);
  await creditNotes(sandbox);
  await retry(sandbox);
  await settle(sandbox);
}

/** A balance that pays a part of the next invoice, which nobody can charge. */
async function creditBalance(sandbox: Sandbox): Promise<void> {
  const { http } = sandbox;
  const [paid] = await invoicesOf(sandbox, 'returning');
  const note = { reason: 'service_issue', memo: 'Sorry', amount: 5, to: 'balance' };
  await http.post(`/v1/invoices/${paid.id}/credit-note`, note);
  const { data } = await http.get('/v1/customers/returning/payment-methods');
  await http.delete(`/v1/customers/returning/payment-methods/${data[0].id}`);
  await settle(sandbox);
}

async function voidInvoices(sandbox: Sandbox, { plans }: Catalog): Promise<void> {
  const { http } = sandbox;
  const newest = async (customerId: string) => (await invoicesOf(sandbox, customerId)).at(-1);
  await http.post(`/v1/invoices/${(await newest('returning')).id}/void`, { reason: 'A mistake' });
  await http.post(`/v1/invoices/${(await newest('written-off')).id}/mark-uncollectible`);
  // Gave back of the invoice before, and is void before it was paid.
  const { id } = await subscriptionOf(sandbox, 'debtor');
  await http.post(`/v1/subscriptions/${id}/amend`, { planId: plans.team });
  await settle(sandbox);
  const open = (await invoicesOf(sandbox, 'debtor')).filter(({ status }) => status === 'open');
  await http.post(`/v1/invoices/${open.at(-1).id}/void`);
}

async function creditNotes(sandbox: Sandbox): Promise<void> {
  const { http } = sandbox;
  const [paid] = await invoicesOf(sandbox, 'staying');
  const path = `/v1/invoices/${paid.id}`;
  const lines = [{ lineId: paid.lines[0].id, amount: 2 }];
  await http.post(`${path}/credit-note`, { reason: 'other', lines, to: 'refund' });
  const note = await http.post(`${path}/credit-note`, { reason: 'other', amount: 3, to: 'balance' });
  await settle(sandbox);
  await http.post(`${path}/credit-notes/${note.id}/void`, { reason: 'Of another customer' });
  const [, unpaid] = await invoicesOf(sandbox, 'written-off');
  await http.post(`/v1/invoices/${unpaid.id}/credit-note`, { reason: 'other', amount: 1.19 });
}

async function retry(sandbox: Sandbox): Promise<void> {
  const { http } = sandbox;
  const [first] = await invoicesOf(sandbox, 'declined');
  const good = await attach(http, 'declined', 'pm_card_visa');
  await http.post(`/v1/customers/declined/payment-methods/${good}/default`);
  await http.post(`/v1/invoices/${first.id}/pay`);
}
