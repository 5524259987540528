import {
  creditedLines,
  creditNoteLimit,
  splitRefund,
  type CreditNoteMode,
  type Settlement,
} from '#libs/rating';
import { Decimal } from '#libs/core';

interface CreditNoteCase {
  currency: string;
  lines: { id: string; amount: string }[];
  coupon?: { amount: string; applies_to?: string[] };
  credit: { line: string; amount: string }[];
}

export function credit_note({ currency, lines, coupon, credit }: CreditNoteCase) {
  const discounts = coupon
    ? [{ amount: coupon.amount, ...(coupon.applies_to ? { lineIds: coupon.applies_to } : {}) }]
    : [];
  const credited = credit.map(({ line, amount }) => ({ id: line, amount }));
  const { discount, net } = creditedLines(lines, discounts, credited, currency);
  return { coupon_share: discount, net };
}

interface RefundCase {
  currency: string;
  /** What the invoice came to: the credits used and what was paid. */
  total: string;
  credits_used: string;
  paid: string;
  credit_total: string;
}

export function refund({ currency, total, credits_used, paid, credit_total }: RefundCase) {
  if (!new Decimal(credits_used).plus(paid).equals(total))
    throw new Error(`total ${total} is not what was paid: ${credits_used} and ${paid}`);
  const { toBalance, refunded } = splitRefund(credit_total, { credits: credits_used, paid }, currency);
  return { to_balance: toBalance, refunded };
}

interface NoteLimitCase extends Settlement {
  currency: string;
  mode: CreditNoteMode;
  requested: string;
}

export function note_limit({ currency, mode, requested, ...settlement }: NoteLimitCase) {
  const limit = creditNoteLimit(mode, settlement, currency);
  return { accepted: new Decimal(requested).lte(limit), limit };
}
