import { followUpContext, type AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { findPriceOfMetric, priceDecider, type Price, type PriceState } from '../prices/price.js';
import type { References } from '../references.js';

/** The metric whose prices are checked, with the references on its stream. */
interface ReferencedMetric {
  readonly metricId: string;
  readonly references: References;
}

/**
 * Passes each price that charges for the metric to `check`, which throws if the price does not allow a change of the metric. Then stops the
 * pending changes of prices that name the metric, and checks these prices again.
 */
export async function checkPricesOfMetric(
  aggregates: AggregateStore,
  context: CommandContext,
  { metricId, references }: ReferencedMetric,
  check: (price: Price) => void,
): Promise<void> {
  const idOf = (priceId: string) => aggregateId(context.workspaceId, priceId);
  const checkState = (state: PriceState | undefined) => {
    const price = findPriceOfMetric(state, metricId);
    if (price) check(price);
  };
  await Promise.all(
    Object.keys(references).map(async (priceId) =>
      checkState(await aggregates.load(priceDecider, idOf(priceId))),
    ),
  );
  await Promise.all(
    Object.entries(references).map(async ([priceId, revision]) => {
      const command = { type: 'StopPriceChange', priceId, revision } as const;
      const following = followUpContext(context, `overtake ${priceId} ${revision}`);
      checkState((await aggregates.execute(priceDecider, idOf(priceId), following, command)).state);
    }),
  );
}

/** Returns the prices of which a version charges for the metric. Deleted prices are left out. */
export async function loadPricesOfMetric(
  aggregates: AggregateStore,
  workspaceId: string,
  { metricId, references }: ReferencedMetric,
): Promise<Price[]> {
  const states = await Promise.all(
    Object.keys(references).map((priceId) =>
      aggregates.load(priceDecider, aggregateId(workspaceId, priceId)),
    ),
  );
  const prices = states.map((state) => findPriceOfMetric(state, metricId));
  return prices.filter((price) => price !== undefined);
}
