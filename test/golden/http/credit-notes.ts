import { Decimal, jsonNumber } from '#libs/kernel/core';
import type { CreditNoteMode } from '#libs/rating';
import type { Account } from './account.ts';
import { invoiceOf, openInvoice, paidInvoice, putOnBalance, type CaseLine } from './invoices.ts';

const MINOR = { JPY: '1', KWD: '0.001' } as Record<string, string>;

interface CreditNoteCase {
  lines: CaseLine[];
  coupon?: { amount: string; applies_to?: string[] };
  credit: { line: string; amount: string }[];
}

export async function credit_note(account: Account, { lines, coupon, credit }: CreditNoteCase) {
  const { invoice, priceIds } = await invoiceOf(account, lines, coupon ? [{ type: 'fixed', ...coupon }] : []);
  await account.post(`/v1/invoices/${invoice.id}/approve`);
  const lineId = (id: string) => invoice.lines.find(({ priceId }) => priceId === priceIds.get(id))!.id;
  const { discount, total } = await account.post(`/v1/invoices/${invoice.id}/credit-note`, {
    reason: 'other',
    lines: credit.map(({ line, amount }) => ({ lineId: lineId(line), amount: jsonNumber(amount) })),
  });
  return { coupon_share: account.money(discount as string), net: account.money(total as string) };
}

interface RefundCase {
  total: string;
  credits_used: string;
  credit_total: string;
}

/** What the balance has not paid, a card has. */
export async function refund(account: Account, { total, credits_used, credit_total }: RefundCase) {
  await putOnBalance(account, credits_used);
  const { id } = await paidInvoice(account, total);
  const { balanceAmount, refundAmount } = await account.post(`/v1/invoices/${id}/credit-note`, {
    reason: 'other',
    amount: jsonNumber(credit_total),
    to: 'refund',
  });
  return {
    to_balance: account.money(balanceAmount as string),
    refunded: account.money(refundAmount as string),
  };
}

interface NoteLimitCase {
  mode: CreditNoteMode;
  total: string;
  paid: string;
  already: string;
  requested: string;
}

/**
 * The limit is what can still be credited, and no cent more. What was paid of an invoice that is still open was paid by the
 * balance: there are no other payments in part.
 */
export async function note_limit(account: Account, given: NoteLimitCase) {
  const { mode, total, paid, already, requested } = given;
  const isRefund = mode === 'refund';
  if (!isRefund) await putOnBalance(account, paid);
  const { id } = await (isRefund ? paidInvoice : openInvoice)(account, total);
  const accepts = (amount: Decimal) =>
    account.accepts(`/v1/invoices/${id}/credit-note`, {
      reason: 'other',
      amount: jsonNumber(amount.toFixed()),
      to: isRefund ? 'refund' : 'unpaid',
    });
  if (new Decimal(already).gt(0) && !(await accepts(new Decimal(already))))
    throw new Error('The first credit note was refused');
  const accepted = await accepts(new Decimal(requested));
  const limit = await largest(account, accepts, given);
  return { accepted, limit: account.money(accepted ? limit.plus(requested) : limit) };
}

/** What may still be credited: one unit more is refused, and this is accepted. Asked for by halving. */
async function largest(
  account: Account,
  accepts: (amount: Decimal) => Promise<boolean>,
  { total }: NoteLimitCase,
): Promise<Decimal> {
  const unit = new Decimal(MINOR[account.currency] ?? '0.01');
  let credited = new Decimal(0);
  // Each note that is accepted leaves less, so the sum of those that are is the limit.
  for (let step = new Decimal(total).div(unit).trunc(); step.gte(1); step = step.div(2).trunc())
    while (await accepts(step.times(unit))) credited = credited.plus(step.times(unit));
  return credited;
}
