import type { DomainEvent } from './event.js';
import type { EventCatalog } from './catalog.js';

/**
 * The rules of one aggregate. The functions of a decider are pure: they use no clock, no randomness and no I/O. Time and ids come with the
 * command. State is plain JSON (decimals as text), and `undefined` before the first event.
 */
export interface Decider<State, Command, Event extends DomainEvent> {
  /** The first part of the stream's name: `customer` in `customer-acc_1.cust_2`. */
  readonly category: string;
  readonly events: EventCatalog<Event>;
  /** Returns the events of the command; none if nothing has to change. Throws an AppError to refuse the command. */
  decide(command: Command, state: State | undefined): Event[];
  evolve(state: State | undefined, event: Event): State;
  /**
   * Returns the state without personal data. The result equals the state that the same events give after the key of their personal fields
   * was destroyed. This method is absent if the state keeps no personal field of any event.
   */
  withoutPersonalData?(state: State): State;
}

/** A decider of unknown types. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- State and command are also parameters, so no other type fits
export type AnyDecider = Decider<any, any, any>;

/** The event type of a decider, or the union of the event types of several deciders. */
export type EventOf<D extends AnyDecider> = D extends { evolve(state: never, event: infer Event): unknown }
  ? Event
  : never;

/** Returns the names of a decider's event types. */
export function eventTypesOf<Event extends DomainEvent>(decider: {
  readonly events: EventCatalog<Event>;
}): Event['type'][] {
  return Object.keys(decider.events);
}

/**
 * Declares a decider. The file that declares a decider, and all files that it imports, must be pure. The linter checks that every file that
 * calls `defineDecider` is pure.
 */
export function defineDecider<State, Command, Event extends DomainEvent>(
  decider: Decider<State, Command, Event>,
): Decider<State, Command, Event> {
  return decider;
}

/**
 * Returns the state after `events`, starting from `state`, or from no state if `state` is undefined. Events that the decider does not list
 * do not change the state. Examples are the event that closes a stream, and an event that another program appended to the stream.
 */
export function fold<State, Event extends DomainEvent>(
  decider: Pick<Decider<State, never, Event>, 'evolve' | 'events'>,
  events: Iterable<Event>,
  state?: State,
): State | undefined {
  let current = state;
  for (const event of events)
    if (Object.hasOwn(decider.events, event.type)) current = decider.evolve(current, event);
  return current;
}

/** The key of an aggregate that belongs to a workspace. Workspace ids have no dot, so the key is unambiguous. */
export function aggregateId(workspaceId: string, id: string): string {
  return `${workspaceId}.${id}`;
}

/** Tells whether a stream belongs to an aggregate of the workspace. The name of such a stream is the category, `-` and {@link aggregateId}. */
export function isStreamOf(workspaceId: string, stream: string): boolean {
  return stream.startsWith(aggregateId(workspaceId, ''), stream.indexOf('-') + 1);
}

/** Returns the state. Throws an Error if there is no state yet, because `event` cannot be the first event of a stream. */
export function requireCreated<State>(state: State | undefined, event: DomainEvent): State {
  if (state === undefined) throw new Error(`${event.type} is the first event of its stream`);
  return state;
}
