import { deepStrictEqual, fail } from 'node:assert/strict';
import { AppError } from '#libs/kernel/core';
import {
  fold,
  type Decider,
  type DomainEvent,
  type EventMetadata,
  type RecordedEvent,
} from '#libs/kernel/domain';

/** For specs of a decider: `given(...events).when(command).then(...events)`. The test asserts the whole list of events. */
export function decide<State, Command, Event extends DomainEvent>(decider: Decider<State, Command, Event>) {
  return {
    given: (...history: Event[]) => ({
      when: (command: Command) => {
        const state = fold(decider, history);
        return {
          /** Asserts that the command leads to exactly the events `expected`. */
          then: (...expected: Event[]): void => same(decider.decide(command, state), expected),
          /** Asserts that the command is refused with the error code `code`, and for `field` if it is given. */
          refused: (code: string, field?: string): void => {
            let events: Event[];
            try {
              events = decider.decide(command, state);
            } catch (error) {
              if (!(error instanceof AppError)) throw error;
              const of = field === undefined ? {} : { fields: error.details?.map((one) => one.field) };
              return deepStrictEqual(
                { code: error.code, ...of },
                { code, ...(field === undefined ? {} : { fields: [field] }) },
              );
            }
            fail(`expected ${code}, but the command led to ${JSON.stringify(events)}`);
          },
          /** Returns the command's events. */
          events: (): Event[] => decider.decide(command, state),
          /** Returns the state after the command's events. */
          state: (): State | undefined => fold(decider, decider.decide(command, state), state),
        };
      },
      /** Returns the state after the history. */
      state: (): State | undefined => fold(decider, history),
    }),
  };
}

/** Makes a recorded event for specs of projections and process managers. Later calls get later positions. */
export function recordedEvent<E extends DomainEvent>(
  stream: string,
  event: E,
  metadata: Partial<EventMetadata> & { id?: string; position?: bigint; revision?: bigint } = {},
): RecordedEvent<E> {
  const { id, position, revision, ...rest } = metadata;
  return {
    id: id ?? `00000000-0000-8000-8000-${String(++count).padStart(12, '0')}`,
    type: event.type,
    data: event.data,
    storedData: event.data,
    stream,
    revision: revision ?? 0n,
    position: position ?? BigInt(count),
    recordedAt: new Date('2026-01-01T00:00:00Z'),
    metadata: {
      workspaceId: 'acc_1',
      commandId: 'command-1',
      correlationId: 'correlation-1',
      causationId: null,
      actor: { type: 'api_key', id: 'key_1' },
      occurredAt: '2026-01-01T00:00:00.000Z',
      schemaVersion: 1,
      ...rest,
    },
  };
}

let count = 0;

/** For specs of a projection that folds rows: `project(projection).given(...events).then({ key: row })`. */
export function project<Row extends object>(projection: {
  keyOf(event: never): string | undefined;
  evolve(row: Row | undefined, event: never): Row | undefined;
}) {
  return {
    given: (...events: RecordedEvent[]) => ({
      then: (expected: Record<string, Row>): void => {
        const rows: Record<string, Row> = {};
        for (const event of events) {
          const key = projection.keyOf(event as never);
          if (key === undefined) continue;
          const row = projection.evolve(rows[key], event as never);
          if (row === undefined) delete rows[key];
          else rows[key] = row;
        }
        same(rows, expected);
      },
    }),
  };
}

/** For specs of a process manager: `react(manager).when(event).then(...tasks)`. The whole list is asserted. */
export function react(manager: { react(event: RecordedEvent): readonly object[] }) {
  return {
    when: (event: RecordedEvent) => ({
      then: (...expected: { name: string; payload: object; key?: string; dueAt?: string }[]): void =>
        same(manager.react(event), expected),
    }),
  };
}

/** Compares plain data only by its values, because the objects of a test come from another JavaScript context. */
function same(received: unknown, expected: unknown): void {
  deepStrictEqual(structuredClone(received), structuredClone(expected));
}
