import { v1, type EventSpec } from './catalog.js';
import type { Decider } from './decider.js';
import type { DomainEvent } from './event.js';

/** The only event of a stream that was closed before there was anything in it. It belongs to no aggregate. */
export const STREAM_CLOSED = 'StreamClosed';

/**
 * Every event type that the program knows, by stored name. Each context registers its deciders when its
 * index is loaded, so that whoever reads `$all` can decode what that context wrote.
 */
const specs = new Map<string, EventSpec>([[STREAM_CLOSED, v1]]);
const categories = new Map<string, string>();

/** Registers a decider's events and returns the decider. A type name may belong to one aggregate only. */
export function defineDecider<State, Command, Event extends DomainEvent>(
  decider: Decider<State, Command, Event>,
): Decider<State, Command, Event> {
  for (const [type, spec] of Object.entries<EventSpec>(decider.events)) {
    const known = specs.get(type);
    if (known && known !== spec && JSON.stringify(known) !== JSON.stringify(spec))
      throw new Error(`Event type ${type} is defined twice`);
    specs.set(type, spec);
    categories.set(type, decider.category);
  }
  return decider;
}

/** The names of all types that the loaded contexts have. */
export function eventTypes(): string[] {
  return [...categories.keys()];
}

/** The category of the streams that the type stands in, or `undefined` if no loaded context has it. */
export function eventCategory(type: string): string | undefined {
  return categories.get(type);
}

/** How the type is stored, or `undefined` if no loaded context has it. */
export function eventSpec(type: string): EventSpec | undefined {
  return specs.get(type);
}
