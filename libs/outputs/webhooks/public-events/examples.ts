import { webhookEvents, type WebhookEvents } from '#libs/manifest';
import { webhookContentOf } from './webhook-content-of.js';
import { mergeResourceAndEventFields, presentResourceAfter } from './resources.js';

/** The names of the events that have an example. Every public event has an example. */
export function exampleEventNames(): string[] {
  return webhookEvents().flatMap(({ examples }) => Object.keys(examples));
}

/**
 * An example of the `data` of an event. The example is made from example domain events, by the same code that makes real messages.
 *
 * @throws Error if the event has no example
 */
export function exampleDataOf(name: string): object {
  const story = storyOf(name);
  if (story === undefined) throw new Error(`The event ${name} has no example`);
  if ('data' in story) return story.data;
  // Other events of the same command can follow the event. A reminder is shown by what the last event says.
  const told = story.findLast((event) => webhookContentOf(event)?.event === name) ?? story.at(-1)!;
  const { data, withoutResource } = webhookContentOf(told)!;
  const resource = withoutResource ? undefined : presentResourceAfter(story);
  return resource ? mergeResourceAndEventFields(resource, data) : data;
}

/** Tells whether an event of the given name has an example. */
export function hasExample(name: string): boolean {
  return storyOf(name) !== undefined;
}

function storyOf(name: string): WebhookEvents['examples'][string] | undefined {
  return webhookEvents().find(({ examples }) => Object.hasOwn(examples, name))?.examples[name];
}
