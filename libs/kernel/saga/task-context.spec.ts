import { describe, expect, it } from '@jest/globals';
import type { Task } from './index.js';
import { contextOfTask } from './task-context.js';

const clock = { now: async () => '2026-01-01T00:00:00.000Z' };
const task: Task = {
  id: 'tsk_1',
  name: 'bill',
  workspaceId: 'acc_1',
  payload: {},
  dueAt: '1970-01-01T00:00:00.000Z',
  attempt: 1,
  eventAt: '2026-01-31T23:59:58.000Z',
  eventId: 'event-1',
  correlationId: 'request-1',
};

describe('the command of a task', () => {
  it('has the id of the task, and came of its event', async () => {
    expect(await contextOfTask('billing', clock, task)).toEqual({
      commandId: 'tsk_1',
      workspaceId: 'acc_1',
      actor: { type: 'system', id: 'billing' },
      correlationId: 'request-1',
      causationId: 'event-1',
      now: '2026-01-01T00:00:00.000Z',
      idsAt: '2026-01-31T23:59:58.000Z',
      mayRepeat: false,
    });
  });

  it('may have run before, unless this is the first attempt', async () => {
    const again = await contextOfTask('billing', clock, { ...task, attempt: 2 });
    expect(again).toMatchObject({ commandId: 'tsk_1', mayRepeat: true });
  });
});
