import { Decimal, jsonNumber, jsonNumbers, sumOf } from '#libs/kernel/core';
import { daysAfter, type Account, type Invoice } from './account.ts';

const START = '2024-03-01T00:00:00Z';

interface InvoiceCase {
  lines: { amount?: string; quantity?: string; unit_price?: string }[];
}

export async function invoice(account: Account, { lines }: InvoiceCase) {
  const made = account.read(
    await account.post('/v1/invoices', {
      customerId: account.customerId,
      currency: account.currency,
      draft: true,
      lines: lines.map(({ amount = '0', quantity, unit_price }) => ({
        description: 'Line',
        ...jsonNumbers({ quantity, unitPrice: unit_price ?? amount }),
      })),
    }),
  );
  return { lines: made.lines.map(({ amount }) => amount), total: made.total };
}

export interface CaseLine {
  id: string;
  amount: string;
}

export interface CaseCoupon {
  type: 'fixed' | 'percentage';
  amount?: string;
  percent?: string;
  currency?: string;
  applies_to?: string[];
  duration?: 'once' | 'repeating' | 'forever';
  cycles?: number;
  id?: string;
}

/** An invoice of a fee for each line; the ids of the fees by the lines', and of the coupons in their order. */
interface Discounted {
  readonly invoice: Invoice;
  readonly priceIds: ReadonlyMap<string, string>;
  readonly couponIds: readonly string[];
}

/** Subscribes, with these coupons, to a plan with a fee for each line; its first invoice is a draft then. */
export async function invoiceOf(
  account: Account,
  lines: readonly CaseLine[],
  coupons: readonly CaseCoupon[],
): Promise<Discounted> {
  const priceIds = new Map<string, string>();
  for (const { id, amount } of lines) priceIds.set(id, await account.fee({ amount }));
  const applied: string[] = [];
  for (const coupon of coupons) applied.push(await couponId(account, coupon, priceIds));
  await account.subscribe([...priceIds.values()], { coupons: applied });
  await account.settle();
  const first = (await account.invoices()).find((one) => one.lines[0]?.priceId === [...priceIds.values()][0]);
  return { invoice: first!, priceIds, couponIds: applied };
}

function couponId(
  account: Account,
  { type, amount, percent, currency, applies_to, duration, cycles }: CaseCoupon,
  priceIds: ReadonlyMap<string, string>,
): Promise<string> {
  return account.id('/v1/coupons', {
    name: 'Coupon',
    ...(type === 'fixed'
      ? { ...jsonNumbers({ amountOff: amount }), currency: currency ?? account.currency }
      : jsonNumbers({ percentOff: percent })),
    ...(duration === undefined ? {} : { duration }),
    ...(cycles === undefined ? {} : { durationInInvoices: cycles }),
    ...(applies_to ? { priceIds: applies_to.map((line) => priceIds.get(line)) } : {}),
  });
}

interface CouponsCase {
  lines: CaseLine[];
  coupons: CaseCoupon[];
}

export async function coupons(account: Account, { lines, coupons: listed }: CouponsCase) {
  const { invoice: made, priceIds, couponIds } = await invoiceOf(account, lines, listed);
  const left = lines.map(({ id }) => {
    const line = made.lines.find(({ priceId }) => priceId === priceIds.get(id))!;
    return [id, account.money(new Decimal(line.amount).minus(line.discount))];
  });
  return {
    discount: discountOf(account, made),
    total: made.total,
    lines: Object.fromEntries(left) as object,
    used: made.discounts.map(({ couponId: id }) => listed[couponIds.indexOf(id)]!.id),
  };
}

interface CouponCyclesCase {
  price: string;
  cycles: number;
  coupons: CaseCoupon[];
}

export async function coupon_cycles(account: Account, { price, cycles, coupons: listed }: CouponCyclesCase) {
  await account.goTo(daysAfter(START, cycles * 31));
  const ids: string[] = [];
  for (const coupon of listed) ids.push(await couponId(account, coupon, new Map()));
  await account.subscribe([await account.fee({ amount: price })], { startsAt: START, coupons: ids });
  await account.bill();
  return { totals: (await account.invoices()).slice(0, cycles).map(({ total }) => total) };
}

/** The credits are on the customer's balance when the invoice is opened. */
export async function invoice_flow(
  account: Account,
  { lines, coupons: listed, credits }: CouponsCase & { credits: string[] },
) {
  await putOnBalance(account, ...credits);
  const { invoice: draft } = await invoiceOf(account, lines, listed);
  const opened = account.read(await account.post(`/v1/invoices/${draft.id}/approve`));
  return {
    subtotal: opened.subtotal,
    discount: discountOf(account, opened),
    credits_used: opened.balanceApplied,
    total: opened.amountDue,
  };
}

/** Credits amounts to the customer's balance: with notes on invoices that were paid, all of them before the first note. */
export async function putOnBalance(account: Account, ...amounts: string[]): Promise<void> {
  const paid: Invoice[] = [];
  for (const amount of amounts) paid.push(await transferredInvoice(account, amount));
  for (const { id } of paid)
    await account.post(`/v1/invoices/${id}/credit-note`, { reason: 'other', to: 'balance' });
  await account.settle();
}

/** An invoice over an amount that was opened and paid by transfer, which has no smallest amount. */
async function transferredInvoice(account: Account, amount: string): Promise<Invoice> {
  const { id } = await openInvoice(account, amount);
  const payment = { amount: jsonNumber(amount), method: 'bank_transfer' };
  return account.read(await account.post(`/v1/invoices/${id}/payments`, payment));
}

/** An invoice over an amount that was opened and, of what the balance left, paid by card. */
export async function paidInvoice(account: Account, amount: string): Promise<Invoice> {
  const opened = await openInvoice(account, amount);
  await account.addCard();
  return account.read(await account.post(`/v1/invoices/${opened.id}/pay`));
}

/** An invoice over an amount that was opened. */
export async function openInvoice(account: Account, amount: string): Promise<Invoice> {
  const { id } = await account.post('/v1/invoices', {
    customerId: account.customerId,
    currency: account.currency,
    draft: true,
    lines: [{ description: 'Line', unitPrice: jsonNumber(amount) }],
  });
  return account.read(await account.post(`/v1/invoices/${id as string}/approve`));
}

function discountOf(account: Account, { discounts }: Invoice): string {
  return account.money(sumOf(discounts.map(({ amount }) => amount)));
}
