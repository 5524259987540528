import type { DomainEvent } from './event.js';
import type { EventCatalog } from './catalog.js';

/**
 * The rules of one aggregate, pure: no clock, no randomness, no I/O. Time and ids come in with the command.
 * State is plain JSON (decimals as text), `undefined` before the first event.
 */
export interface Decider<State, Command, Event extends DomainEvent> {
  /** First part of the stream's name: `customer` in `customer-acc_1.cust_2`. */
  readonly category: string;
  readonly events: EventCatalog<Event>;
  /** The events that the command leads to; none if there is nothing to do. Throws an AppError to refuse. */
  decide(command: Command, state: State | undefined): Event[];
  evolve(state: State | undefined, event: Event): State;
}

/** A decider whose types are not known where it is used. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- State and command stand on both sides of functions, so no other type takes every decider.
export type AnyDecider = Decider<any, any, any>;

/** The events of a decider, or of each of several. */
export type EventOf<D extends AnyDecider> = D extends { evolve(state: never, event: infer Event): unknown }
  ? Event
  : never;

/** Declares a decider, whose file and whatever it loads must then be pure: the linter looks for this call. */
export function defineDecider<State, Command, Event extends DomainEvent>(
  decider: Decider<State, Command, Event>,
): Decider<State, Command, Event> {
  return decider;
}

/** The state after `events`, from nothing or from `state`. */
export function fold<State, Event extends DomainEvent>(
  decider: Pick<Decider<State, never, Event>, 'evolve'>,
  events: Iterable<Event>,
  state?: State,
): State | undefined {
  let current = state;
  for (const event of events) current = decider.evolve(current, event);
  return current;
}

/** The key of an aggregate that belongs to a workspace. Workspace ids have no dot, so it is unambiguous. */
export function aggregateId(workspaceId: string, id: string): string {
  return `${workspaceId}.${id}`;
}

/** The state, or a defect: for `evolve` of events that cannot come first. */
export function existing<State>(state: State | undefined, event: DomainEvent): State {
  if (state === undefined) throw new Error(`${event.type} is the first event of its stream`);
  return state;
}
