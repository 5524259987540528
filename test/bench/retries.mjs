// Many declined invoices whose retry is due at one instant: from the first timer until all are paid and all is quiet, beside the billing run
// of as many subscriptions.
import { benchBillingRun } from './billing-run.mjs';
import { concurrently } from './concurrently.mjs';

export async function benchRetries(stack, preset, measured = []) {
  const isBillingRun = ({ bench, appends }) => bench === 'billing-run' && appends !== undefined;
  const earlier = measured.find(isBillingRun);
  const [run] = earlier ? [earlier] : await benchBillingRun(stack, preset);
  const invoices = preset.subscriptions;
  const { call, post } = await stack.workspace('retries');
  await call('PUT', '/v1/sandbox/clock', { now: '2026-01-01T00:00:00Z' });
  const config = { model: 'flat', amount: 20, currency: 'USD' };
  const { id: priceId } = await post('/v1/prices', {
    name: 'Base',
    config,
    cadence: 'monthly',
    timing: 'in_advance',
  });
  const { id: planId } = await post('/v1/plans', { name: 'Base', prices: [priceId] });
  await concurrently(invoices, 16, async (i) => {
    const { id: customerId } = await post('/v1/customers', { name: `Customer ${i}` });
    const card = { type: 'test', test: 'pm_card_declineThenSucceed', declines: 1 };
    await post(`/v1/customers/${customerId}/payment-methods`, card);
    await post('/v1/subscriptions', { customerId, planId });
  });
  // Waits until each first charge has been declined.
  await call('POST', '/v1/sandbox/clock/advance', { to: '2026-01-01T00:00:00Z' });
  const declined = await counts(call);

  const started = performance.now();
  await call('POST', '/v1/sandbox/clock/advance', { to: '2026-01-02T00:00:00Z' });
  const seconds = (performance.now() - started) / 1_000;
  const paid = await counts(call);
  const ratio = invoices / seconds / run.value;
  const isRight = declined.scheduled === invoices && paid.recovered === invoices;
  return [
    ...(earlier ? [] : [run]),
    {
      name: `payment retries, ${invoices.toLocaleString('en-US')} due at one instant`,
      value: Math.round(invoices / seconds),
      unit: 'invoices/s',
      baseline: { name: 'the billing run', value: run.value },
      ratio,
      required: 'ratio >= 1',
      seconds,
      passed: ratio >= 1 && isRight,
      ...(isRight ? {} : { declined, paid }),
    },
  ];
}

/** The number of invoices by the state of their retries. */
async function counts(call) {
  const { totals } = await call('GET', '/v1/payment-retry/summary');
  return Object.fromEntries(totals.map(({ state, invoices }) => [state, invoices]));
}
