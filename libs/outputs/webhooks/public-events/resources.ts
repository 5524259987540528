import { customerDecider, presentCustomer } from '#libs/contexts/customers';
import { type AggregateStore } from '#libs/kernel/event-store';
import { aggregateId, fold, type Decider, type DomainEvent } from '#libs/kernel/domain';
import { invoiceDecider, presentInvoice } from '#libs/contexts/invoicing';
import { presentMigrationSummary, priceMigrationDecider } from '#libs/contexts/price-migrations';
import { presentSubscription, subscriptionDecider } from '#libs/contexts/subscriptions';

/** A resource as it was right after one event of its stream. */
export interface ResourceVersion {
  /** Of its stream, such as `invoice`. */
  category: string;
  id: string;
  /** Of the event, as text. */
  revision: string;
}

/** How the API shows what the streams of one category are about. */
interface Resource {
  /** Types of the streams' events. */
  types: ReadonlySet<string>;
  /** After the event at `revision`; undefined if there is no such stream. */
  load: (aggregates: AggregateStore, key: string, revision: bigint) => Promise<object | undefined>;
  /** After these events, which are all that there are. */
  after: (events: readonly DomainEvent[]) => object;
}

const RESOURCES = new Map<string, Resource>([
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
  return RESOURCES.get(category)?.load(aggregates, aggregateId(accountId, id), BigInt(revision));
}

/** The resource as the API would show it after these events, which are all of its stream; undefined if it shows no such thing. */
export function presentAfter(events: readonly DomainEvent[]): object | undefined {
  return [...RESOURCES.values()].find(({ types }) => types.has(events[0]!.type))?.after(events);
}

/** A resource with what an event says of it. Where both have a field, the resource's counts. */
export function beside(resource: object, said: object): object {
  const more = Object.entries(said).filter(([field]) => !(field in resource));
  return { ...resource, ...Object.fromEntries(more) };
}

function shown<State, Command, Event extends DomainEvent>(
  decider: Decider<State, Command, Event>,
  present: (state: State) => object,
): [string, Resource] {
  const load: Resource['load'] = async (aggregates, key, revision) => {
    const state = await aggregates.loadAt(decider, key, revision);
    return state === undefined ? undefined : present(state);
  };
  const after: Resource['after'] = (events) => present(fold(decider, events as readonly Event[])!);
  return [decider.category, { types: new Set(Object.keys(decider.events)), load, after }];
}
