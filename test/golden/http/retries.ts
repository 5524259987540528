import { textOf } from '../adapter/instants.ts';
import { daysAfter, type Account } from './account.ts';

interface RetriesCase {
  first_failure_at: string;
  interval_days: number[];
  /** Which retry succeeds, from 1; null: none. */
  succeeds_on_retry: number | null;
}

/** More declines than any case has attempts. */
const ALWAYS = 100;

/** The first charge is made on request, so that it fails at the given time. The retries are made by themselves. */
export async function retries(
  account: Account,
  { first_failure_at, interval_days, succeeds_on_retry }: RetriesCase,
) {
  await account.goTo(first_failure_at);
  await account.put('/v1/billing-settings', { autoCollect: true });
  await account.put('/v1/payment-retry/settings', { intervalsDays: interval_days });
  await account.addCard('pm_card_declineThenSucceed', succeeds_on_retry ?? ALWAYS);
  const lines = [{ description: 'Work', quantity: 1, unitPrice: 10 }];
  const invoiceId = await account.id('/v1/invoices', { customerId: account.customerId, lines });
  await account.accepts(`/v1/invoices/${invoiceId}/pay`, {});
  await account.advance(
    daysAfter(
      first_failure_at,
      interval_days.reduce((sum, days) => sum + days, 1),
    ),
  );
  const { data } = (await account.get(`/v1/invoices/${invoiceId}/payment-attempts`)) as {
    data: { retry: unknown; createdAt: string }[];
  };
  const { status } = await account.get(`/v1/invoices/${invoiceId}`);
  return {
    attempts_at: data.filter(({ retry }) => retry !== null).map(({ createdAt }) => textOf(createdAt)),
    paid: status === 'paid',
  };
}
