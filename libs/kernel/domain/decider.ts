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

/** The key of an aggregate that belongs to a workspace. Account ids have no dot, so it is unambiguous. */
export function aggregateId(accountId: string, id: string): string {
  return `${accountId}.${id}`;
}

/** The state, or a defect: for `evolve` of events that cannot come first. */
export function existing<State>(state: State | undefined, event: DomainEvent): State {
  if (state === undefined) throw new Error(`${event.type} is the first event of its stream`);
  return state;
}
