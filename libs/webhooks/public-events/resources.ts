import { customerDecider, presentCustomer } from '#libs/customers';
import { aggregateId, type AggregateStore, type Decider, type DomainEvent } from '#libs/event-store';
import { invoiceDecider, presentInvoice } from '#libs/invoicing';
import { presentMigrationSummary, priceMigrationDecider } from '#libs/price-migrations';
import { presentSubscription, subscriptionDecider } from '#libs/subscriptions';

/** A resource as it was right after one event of its stream. */
export interface ResourceVersion {
  /** Of its stream, such as `invoice`. */
  category: string;
  id: string;
  /** Of the event, as text. */
  revision: string;
}

type Load = (aggregates: AggregateStore, key: string, revision: bigint) => Promise<object | undefined>;

/** What messages are about, by the category of its stream: shown as the API shows it. */
const RESOURCES = new Map<string, Load>([
  shown(invoiceDecider, presentInvoice),
  shown(subscriptionDecider, presentSubscription),
  shown(customerDecider, presentCustomer),
  // Without the customers that it is limited to, who can be ten thousand.
  shown(priceMigrationDecider, presentMigrationSummary),
]);

/** Whether messages show what streams of the category are about. */
export function isShown(category: string): boolean {
  return RESOURCES.has(category);
}

/** The resource as the API showed it right after the event; undefined if its stream is not there. */
export async function presentVersion(
  aggregates: AggregateStore,
  accountId: string,
  { category, id, revision }: ResourceVersion,
): Promise<object | undefined> {
  return RESOURCES.get(category)?.(aggregates, aggregateId(accountId, id), BigInt(revision));
}

function shown<State, Command, Event extends DomainEvent>(
  decider: Decider<State, Command, Event>,
  present: (state: State) => object,
): [string, Load] {
  const load: Load = async (aggregates, key, revision) => {
    const state = await aggregates.loadAt(decider, key, revision);
    return state === undefined ? undefined : present(state);
  };
  return [decider.category, load];
}
