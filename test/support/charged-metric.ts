import type { requestsOf } from './requests.js';

/**
 * Makes a function that creates the credit type `ai-credits`, a metric whose units cost half a credit each, and a customer. `path` is that of
 * the customer's wallet. `use` sends an event with a number of units.
 */
export function chargedMetric(post: ReturnType<typeof requestsOf>['post']) {
  return async (type: object = {}, rate: object = {}) => {
    const credits = { type: 'ai-credits', name: 'AI credits', unitPrice: 0.01, currency: 'USD' };
    await post('/v1/credit-types', { ...credits, ...type }, 201);
    const aggregation = { type: 'sum', property: 'count', groupBy: ['model'] };
    const metric = { name: 'Tokens', eventName: 'tokens', aggregation };
    const { id: metricId } = await post('/v1/metrics', metric, 201);
    await post('/v1/credit-types/ai-credits/rates', { metricId, creditsPerUnit: 0.5, ...rate }, 201);
    const { id: customerId } = await post('/v1/customers', { name: 'Northwind' }, 201);
    const path = `/v1/customers/${customerId}/wallets/ai-credits`;
    const use = async (count: number, more: object = {}) =>
      post('/v1/events', { customerId, eventName: 'tokens', properties: { count }, ...more });
    return { metricId, customerId, path, use };
  };
}
