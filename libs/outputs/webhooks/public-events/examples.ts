import { webhookEvents, type WebhookEvents } from '#libs/manifest';
import { publicEventOf } from './public-event-of.js';
import { beside, presentAfter } from './resources.js';

/** The names of the events that there is an example of: all that are sent. */
export function exampleEvents(): string[] {
  return webhookEvents().flatMap(({ examples }) => Object.keys(examples));
}

/**
 * An example of the `data` of such an event, made from example events by the same code that makes real messages.
 *
 * @throws Error if nothing sends such an event
 */
export function exampleOf(name: string): object {
  const story = storyOf(name);
  if (story === undefined) throw new Error(`There is no example of ${name}`);
  if ('data' in story) return story.data;
  const { data, alone } = publicEventOf(story.at(-1)!)!;
  const resource = alone ? undefined : presentAfter(story);
  return resource ? beside(resource, data) : data;
}

export function isExampleEvent(name: string): boolean {
  return storyOf(name) !== undefined;
}

function storyOf(name: string): WebhookEvents['examples'][string] | undefined {
  return webhookEvents().find(({ examples }) => Object.hasOwn(examples, name))?.examples[name];
}
