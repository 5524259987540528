import type { AnyDecider, DomainEvent, EventOf } from '#libs/kernel/domain';

/** The content of a webhook message about an event. */
export interface WebhookContent {
  /** The name that an endpoint subscribes to, such as `invoice.paid`. */
  readonly event: string;
  /** The data of the message, which is computed only from the event. */
  readonly data: object;
  /** True if the message does not contain the resource, because the resource no longer exists. */
  readonly withoutResource?: true;
}

/** The API resource that corresponds to the streams of one decider. Messages contain the full resource and the data of the event. */
export interface WebhookResource {
  readonly decider: AnyDecider;
  /** Returns the resource, as the API shows it, for a state of the decider. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- Each decider has another type of state.
  readonly present: (state: any) => object;
}

/** The webhook events of a context. */
export interface WebhookEvents<E extends DomainEvent = DomainEvent> {
  /** All event names that an endpoint can subscribe to, including names that are not sent yet. */
  readonly names: readonly string[];
  /**
   * Functions that return the content of a webhook message, by the type of the event. If a function returns undefined, no message is sent
   * for the event.
   */
  readonly messages: {
    readonly [T in E['type']]?: (data: Extract<E, { type: T }>['data']) => WebhookContent | undefined;
  };
  readonly resources: readonly WebhookResource[];
  /** An example for each event name: events, of which the last causes the message, or the data of a message that no event causes. */
  readonly examples: Readonly<Record<string, readonly E[] | { readonly data: object }>>;
}

/** The type of {@link WebhookEvents} for the events of a context's deciders. */
export type WebhookEventsOf<D extends AnyDecider> = WebhookEvents<EventOf<D>>;

/** Ids and times that the examples of all contexts share, so that the examples fit together. */
export const EXAMPLE = {
  periodStart: '2026-01-01T00:00:00.000Z',
  periodEnd: '2026-02-01T00:00:00.000Z',
  customerId: 'cust_01JD00000000000000EXAMPLE1',
  subscriptionId: 'sub_01JD00000000000000EXAMPLE2',
  invoiceId: 'inv_01JD00000000000000EXAMPLE3',
  planId: 'plan_01JD00000000000000EXAMPLE5',
  nextPlanId: 'plan_01JD00000000000000EXAMPLE6',
  priceId: 'price_01JD00000000000000EXAMPLE7',
  runId: 'run_01JD00000000000000EXAMPLE9',
} as const;
