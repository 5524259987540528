import type { AggregateStore } from '#libs/kernel/event-store';
import { aggregateId, fold, type DomainEvent } from '#libs/kernel/domain';
import { webhookEvents, type WebhookResource } from '#libs/manifest';

/** A resource as it was right after one event of its stream. */
export interface ResourceVersion {
  /** Of its stream, such as `invoice`. */
  category: string;
  id: string;
  /** Of the event, as text. */
  revision: string;
}

/** Whether messages show what streams of the category are about. */
export function isShown(category: string): boolean {
  return resource((one) => one.decider.category === category) !== undefined;
}

/** The resource as the API showed it right after the event; undefined if its stream is not there. */
export async function presentVersion(
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

/** The resource as the API would show it after these events, which are all of its stream; undefined if it shows no such thing. */
export function presentAfter(events: readonly DomainEvent[]): object | undefined {
  const shown = resource(({ decider }) => Object.hasOwn(decider.events, events[0]!.type));
  return shown?.present(fold(shown.decider, events));
}

/** A resource with what an event says of it. Where both have a field, the resource's counts. */
export function beside(shown: object, said: object): object {
  const more = Object.entries(said).filter(([field]) => !(field in shown));
  return { ...shown, ...Object.fromEntries(more) };
}

function resource(isIt: (one: WebhookResource) => boolean): WebhookResource | undefined {
  return webhookEvents()
    .flatMap(({ resources }) => resources)
    .find(isIt);
}
