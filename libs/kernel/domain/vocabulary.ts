import { v1, type EventSpec } from './catalog.js';
import type { Decider } from './decider.js';
import type { DomainEvent } from './event.js';

/** The type of the only event in a stream that was closed while it was empty. A StreamClosed event belongs to no aggregate. */
export const STREAM_CLOSED = 'StreamClosed';

/** The part of a decider that a vocabulary needs. */
export type DeciderEvents = Pick<Decider<never, never, DomainEvent>, 'category' | 'events'>;

/** Every event type that a program knows, by its stored name. The code that reads or appends events gets the vocabulary as an argument. */
export class EventVocabulary {
  private readonly specs = new Map<string, EventSpec>([[STREAM_CLOSED, v1]]);
  private readonly categories = new Map<string, string>();

  /** @throws Error if two deciders share the name of an event type, or the category of streams */
  constructor(deciders: Iterable<DeciderEvents>) {
    const taken = new Set<string>();
    for (const { category, events } of deciders) {
      if (taken.has(category)) throw new Error(`Two deciders have streams of the category ${category}`);
      taken.add(category);
      for (const [type, spec] of Object.entries<EventSpec>(events)) {
        if (this.specs.has(type)) throw new Error(`Two deciders have an event type ${type}`);
        this.specs.set(type, spec);
        this.categories.set(type, category);
      }
    }
  }

  /** Returns how the event type is stored, or `undefined` if no decider has this type. */
  specOf(type: string): EventSpec | undefined {
    return this.specs.get(type);
  }

  /** Returns the category of the streams that have this event type, or `undefined` if no decider has this type. */
  categoryOf(type: string): string | undefined {
    return this.categories.get(type);
  }

  /** The names of the deciders' event types. */
  get types(): string[] {
    return [...this.categories.keys()];
  }
}
