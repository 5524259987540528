import { Decimal } from '#libs/kernel/core';
import type { Entry } from '../load/journal.ts';
import { codeOf } from '../load/sending.ts';
import { REVERSED } from '../load/transfers.ts';
import type { Charge, Facts, Invoice } from './facts.ts';
import { doubled, lost, wrong, type Finding } from './finding.ts';
import { sumOfAmounts } from './money.ts';
import { acknowledgement } from './writes.ts';

/**
 * Who paid was charged once for the invoice's total, or paid it by transfers. Nobody else was charged. Each retry was made once, and each
 * transfer and each reversal that was answered is there once. What was answered is so.
 */
export function checkPayments({ invoices, charges, entries }: Facts): Finding[] {
  const byInvoice = Map.groupBy(charges, ({ invoiceId }) => invoiceId);
  const findings = invoices.flatMap((invoice) => [
    ...checkCharges(invoice, byInvoice.get(invoice.id) ?? []),
    ...checkTransfers(invoice, entries),
  ]);
  const there = new Map(invoices.map((invoice) => [invoice.id, invoice]));
  for (const entry of entries) {
    const [, invoiceId, action] = /^\/v1\/invoices\/([^/]+)\/(pay|void)$/.exec(entry.path) ?? [];
    if (invoiceId === undefined || acknowledgement(entry) === undefined) continue;
    const settled = action === 'pay' ? 'paid' : 'void';
    const { status } = there.get(invoiceId) ?? { status: 'not there' };
    if (status !== settled)
      findings.push(lost(`Invoice ${invoiceId} was answered as ${settled} and is ${status}`));
  }
  for (const { invoiceId } of charges)
    if (!there.has(invoiceId)) findings.push(lost(`Invoice ${invoiceId} was charged and is not there`));
  return findings;
}

/** The gateway's charges are the invoice's attempts. One succeeded if the invoice is paid, and no transfer has paid it. */
function checkCharges(invoice: Invoice, charges: readonly Charge[]): Finding[] {
  const { id, status, total, attempts, payments } = invoice;
  const succeeded = charges.filter((charge) => charge.status === 'succeeded');
  const listed = attempts.filter((attempt) => attempt.status === 'succeeded').length;
  const due = status === 'paid' && !payments.some(counts) ? 1 : 0;
  const ids = new Set(attempts.map((attempt) => attempt.id));
  const retries = attempts.flatMap(({ retry }) => retry ?? []);
  return [
    ...deviation(succeeded.length, due, `Invoice ${id}, ${status}, was charged`),
    ...deviation(listed, due, `Invoice ${id}, ${status}, lists as charged`),
    ...succeeded
      .filter(({ amount }) => !new Decimal(amount).eq(total))
      .map(({ amount }) => wrong(`Invoice ${id} over ${total} was charged ${amount}`)),
    ...charges
      .filter(({ key }) => !ids.has(key))
      .map(({ key }) => doubled(`Invoice ${id} was charged by ${key}, which is none of its attempts`)),
    ...retries.flatMap((retry, index) =>
      retry === index + 1 ? [] : [doubled(`Invoice ${id} has the retries ${retries.join(', ')}`)],
    ),
  ];
}

/** The transfers of an invoice are those that were answered, and pay what is not due. */
function checkTransfers(invoice: Invoice, entries: readonly Entry[]): Finding[] {
  const { id, status, total, amountDue, payments } = invoice;
  const path = `/v1/invoices/${id}/payments`;
  const answered = (method: Entry['method']) =>
    entries.filter((entry) => entry.method === method && entry.path.startsWith(path) && isDone(entry)).length;
  const paid = sumOfAmounts(payments.filter(counts));
  const isSettled = status === 'void' || !payments.some(counts) || paid.plus(amountDue).eq(total);
  return [
    ...deviation(payments.length, answered('POST'), `Invoice ${id} lists transfers`),
    ...deviation(
      payments.filter((payment) => !counts(payment)).length,
      answered('DELETE'),
      `Invoice ${id} lists transfers as reversed`,
    ),
    ...(isSettled
      ? []
      : [wrong(`Invoice ${id} over ${total} has transfers of ${paid.toFixed()}, and ${amountDue} is due`)]),
  ];
}

/** Whether a transfer or a reversal was answered as made. */
function isDone(entry: Entry): boolean {
  return acknowledgement(entry) !== undefined || entry.answers.some((answer) => codeOf(answer) === REVERSED);
}

function counts({ status }: { status: string }): boolean {
  return status === 'succeeded';
}

function deviation(times: number, due: number, what: string): Finding[] {
  if (times === due) return [];
  return [(times > due ? doubled : lost)(`${what} ${times} times, in place of ${due}`)];
}
