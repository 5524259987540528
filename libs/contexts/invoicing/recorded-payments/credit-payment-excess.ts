import type { Balances, BalanceKeyWithInvoice } from '#libs/contexts/balances';
import type { CommandContext } from '#libs/kernel/event-store';
import { isZeroAmount } from '../invoice.js';
import type { RecordedPayment } from './recorded-payment.js';

/**
 * Adds the part of a payment above the amount due to the customer's balance. The call is safe to repeat, because each payment credits the
 * balance only once.
 */
export async function creditPaymentExcess(
  balances: Balances,
  context: CommandContext,
  invoice: BalanceKeyWithInvoice,
  { paymentId: sourceId, toBalance: amount }: Pick<RecordedPayment, 'paymentId' | 'toBalance'>,
): Promise<void> {
  if (isZeroAmount(amount)) return;
  await balances.credit(context, invoice, { amount, source: 'payment', sourceId });
}
