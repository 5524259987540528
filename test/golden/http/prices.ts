import { jsonNumber, sumOf } from '#libs/kernel/core';
import { aggregationOf, configOf, type AggregateCase, type PriceCase } from '../adapter/prices.ts';
import type { Account } from './account.ts';

export async function price(account: Account, given: PriceCase) {
  const { quantity = '0', event_amounts: amounts, timing } = given;
  if (timing === 'in_advance') return { amount: await billedAtOnce(account, given) };
  const usage = amounts ? { eventAmounts: amounts.map(jsonNumber) } : { quantity: jsonNumber(quantity) };
  return account.post('/v1/prices/evaluate', { config: configOf(given.price, given), ...usage });
}

/** What the first invoice of a subscription to a fee in advance comes to. */
async function billedAtOnce(account: Account, given: PriceCase): Promise<string> {
  const fee = { name: 'Fee', cadence: 'monthly', timing: 'in_advance' };
  const priceId = await account.id('/v1/prices', { ...fee, config: configOf(given.price, given) });
  await account.subscribe([priceId]);
  await account.settle();
  const [line] = await account.linesOf(priceId);
  return line!.amount;
}

export async function aggregate(account: Account, given: AggregateCase) {
  const aggregation = aggregationOf(given.metric);
  const { start, end } = given.period;
  const body = { aggregation, events: given.events, startTime: start, endTime: end };
  const { groups } = (await account.post('/v1/metrics/evaluate', body)) as unknown as {
    groups: { group: Record<string, string>; quantity: string }[];
  };
  const config = configOf(given.price, given);
  const priced = await Promise.all(
    groups.map(async ({ group, quantity }) => {
      const evaluation = { config, quantity: jsonNumber(quantity) };
      const { amount } = await account.post('/v1/prices/evaluate', evaluation);
      const key = aggregation.groupBy?.map((property) => group[property]).join('|');
      return [key, { quantity, amount: amount as string }] as const;
    }),
  );
  return {
    quantity: sumOf(groups.map(({ quantity }) => quantity)).toFixed(),
    amount: account.money(sumOf(priced.map(([, { amount }]) => amount))),
    ...(aggregation.groupBy ? { groups: Object.fromEntries(priced) as object } : {}),
  };
}

/** Each as a fee of that amount. */
export async function round(account: Account, { amounts }: { amounts: string[] }) {
  const evaluated = amounts.map(async (amount) => {
    const config = { model: 'flat', amount: jsonNumber(amount), currency: account.currency };
    const evaluation = await account.post('/v1/prices/evaluate', { config, quantity: 1 });
    return account.money(evaluation['amount'] as string);
  });
  return { amounts: await Promise.all(evaluated) };
}
