import { describe, expect, it } from '@jest/globals';
import {
  commandContextOfTask,
  ProcessManager,
  reactByEventType,
  type Task,
  type TaskHandlers,
} from './process-manager.js';
import type { DomainEvent } from '#libs/kernel/domain';
import { recordedEvent } from '#libs/kernel/testing';

const clock = { now: async () => '2026-01-01T00:00:00.000Z' };
const task: Task = {
  id: 'tsk_1',
  name: 'bill',
  workspaceId: 'acc_1',
  payload: {},
  dueAt: '1970-01-01T00:00:00.000Z',
  clock: 'workspace',
  attempt: 1,
  eventAt: '2026-01-31T23:59:58.000Z',
  eventId: 'event-1',
  correlationId: 'request-1',
};

describe('the command of a task', () => {
  it('has the id of the task, and came of its event', async () => {
    expect(await commandContextOfTask('billing', clock, task)).toEqual({
      commandId: 'tsk_1',
      workspaceId: 'acc_1',
      actor: { type: 'system', id: 'billing' },
      correlationId: 'request-1',
      causationId: 'event-1',
      now: '2026-01-01T00:00:00.000Z',
      idTime: '2026-01-31T23:59:58.000Z',
      mayRepeat: false,
    });
  });

  it('has at least the time at which the task was due, though the clock of the machine is behind', async () => {
    const due = { ...task, dueAt: '2026-01-01T00:00:00.005Z' };
    expect(await commandContextOfTask('billing', clock, due)).toMatchObject({ now: due.dueAt });
    // The machine's time says nothing of the time in a sandbox.
    const bySystem = { ...due, clock: 'system' } as const;
    expect(await commandContextOfTask('billing', clock, bySystem)).toMatchObject({
      now: '2026-01-01T00:00:00.000Z',
    });
  });

  it('may have run before, unless this is the first attempt', async () => {
    const again = await commandContextOfTask('billing', clock, { ...task, attempt: 2 });
    expect(again).toMatchObject({ commandId: 'tsk_1', mayRepeat: true });
  });
});

type Ordered = DomainEvent<'Ordered', { what: string }>;
interface Tasks {
  send: { what: string };
}

class Sender extends ProcessManager<Tasks> {
  readonly name = 'sender';
  readonly sent: unknown[] = [];
  override readonly react = reactByEventType<Ordered, Tasks>({
    Ordered: ({ data: { what } }) => [{ name: 'send', payload: { what } }],
  });
  protected override readonly tasks: TaskHandlers<Tasks> = {
    send: async ({ what }, { commandId, now }) => void this.sent.push({ what, commandId, now }),
  };
}

describe('a process manager', () => {
  const sender = new Sender(clock);

  it('leads to tasks by the type of the event, and to nothing for others', () => {
    const of = (type: string) => sender.react(recordedEvent('order-1', { type, data: { what: 'tea' } }));
    expect(of('Ordered')).toEqual([{ name: 'send', payload: { what: 'tea' } }]);
    expect(of('Returned')).toEqual([]);
    expect(of('toString')).toEqual([]);
  });

  it('performs a task by its name, with the context of its command', async () => {
    await sender.perform({ ...task, name: 'send', payload: { what: 'tea' } });
    expect(sender.sent).toEqual([{ what: 'tea', commandId: 'tsk_1', now: '2026-01-01T00:00:00.000Z' }]);
  });

  it('fails at a task that it does not have, so that it is tried again and seen', async () => {
    for (const name of ['drop', 'toString'])
      await expect(sender.perform({ ...task, name })).rejects.toThrow(
        `The process manager "sender" has no task "${name}"`,
      );
  });
});
