import {
  deductCoupons,
  creditedAmountsOf,
  creditNoteLimit,
  splitRefund,
  type UsableCoupon,
  type CreditNoteMode,
  type CreditNoteLimitAmounts,
} from '#libs/rating';
import { Decimal, moneyString, sumOf } from '#libs/kernel/core';

interface CreditNoteCase {
  currency: string;
  lines: { id: string; amount: string }[];
  coupon?: { amount: string; applies_to?: string[] };
  credit: { line: string; amount: string }[];
}

export function credit_note({ currency, lines, coupon, credit }: CreditNoteCase) {
  const taken = deductCoupons(lines, coupon ? [fixed(coupon, currency)] : [], currency).flatMap(
    (applied) => applied.lines,
  );
  const notes = credit.map(({ line: id, amount }) => {
    const line = lines.find((one) => one.id === id)!;
    const discount = taken.find((one) => one.id === id)?.amount ?? '0';
    return creditedAmountsOf({ ...line, discount, credited: '0' }, amount, currency);
  });
  const sum = (amounts: string[]) => moneyString(sumOf(amounts), currency);
  return { coupon_share: sum(notes.map(({ discount }) => discount)), net: sum(notes.map(({ net }) => net)) };
}

function fixed(
  { amount, applies_to }: NonNullable<CreditNoteCase['coupon']>,
  currency: string,
): UsableCoupon {
  const discount = { type: 'fixed', amount, currency } as const;
  return { couponId: 'coupon', discount, ...(applies_to ? { lineIds: applies_to } : {}) };
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

interface NoteLimitCase extends Omit<CreditNoteLimitAmounts, 'alreadyCredited'> {
  already: CreditNoteLimitAmounts['alreadyCredited'];
  currency: string;
  mode: CreditNoteMode;
  requested: string;
}

export function note_limit({ currency, mode, requested, already, ...totals }: NoteLimitCase) {
  const limit = creditNoteLimit(mode, { ...totals, alreadyCredited: already }, currency);
  return { accepted: new Decimal(requested).lte(limit), limit };
}
