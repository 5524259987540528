import type { AggregateStore } from '#libs/kernel/event-store';
import { aggregateId, fold, type DomainEvent } from '#libs/kernel/domain';
import { webhookEvents, type WebhookResource } from '#libs/manifest';

/** Refers to the state of a resource right after the command that appended an event of its stream. */
export interface ResourceVersion {
  /** The category of the resource's stream, such as `invoice`. */
  category: string;
  /** The id of the resource. */
  id: string;
  /** The revision of the event, as text. */
  revision: string;
}

/** Tells whether messages show the resources of this category. */
export function isCategoryInMessages(category: string): boolean {
  return resource((one) => one.decider.category === category) !== undefined;
}

/** The resource, as the API showed it right after the command of the event; undefined if its stream does not exist. */
export async function presentResourceVersion(
  aggregates: AggregateStore,
  workspaceId: string,
  { category, id, revision }: ResourceVersion,
): Promise<object | undefined> {
  const shown = resource((one) => one.decider.category === category);
  if (shown === undefined) return undefined;
  const state: unknown = await aggregates.loadAt(
    shown.decider,
    aggregateId(workspaceId, id),
    BigInt(revision),
  );
  return state === undefined ? undefined : shown.present(state);
}

/**
 * The resource as the API would show it after the given events, which must be all events of its stream. Undefined if the API does not show
 * this resource.
 */
export function presentResourceAfter(events: readonly DomainEvent[]): object | undefined {
  const shown = resource(({ decider }) => Object.hasOwn(decider.events, events[0]!.type));
  return shown?.present(fold(shown.decider, events));
}

/**
 * Merges the fields of a resource and the fields of an event. If the resource and the event have a field of the same name, the resource's
 * field is used.
 */
export function mergeResourceAndEventFields(shown: object, said: object): object {
  const more = Object.entries(said).filter(([field]) => !(field in shown));
  return { ...shown, ...Object.fromEntries(more) };
}

function resource(isIt: (one: WebhookResource) => boolean): WebhookResource | undefined {
  return webhookEvents()
    .flatMap(({ resources }) => resources)
    .find(isIt);
}
