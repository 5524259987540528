import { describe, expect, it } from '@jest/globals';
import { Conflict, InvalidRequest, Unavailable } from '#libs/kernel/core';
import { fold } from '#libs/kernel/domain';
import type { AggregateStore, CommandContext } from '#libs/kernel/event-store';
import type { Task } from '#libs/kernel/saga';
import { recordedEvent } from '#libs/kernel/testing';
import type { WorkspaceClock } from '#libs/kernel/workspaces';
import { ApprovalsProcess } from './approvals.process.js';
import type { HeldCommandRegistry } from './gate/held-command-registry.js';
import {
  approvalRequestDecider,
  type ApprovalRequest,
  type ApprovalRequestCommand,
} from './requests/approval-request.js';
import type { ApprovalRequestEvent, HeldCommand, ResourceReference } from './requests/events.js';

const [at, expiresAt] = ['2026-01-01T00:00:00.000Z', '2026-01-08T00:00:00.000Z'];
const about = { requestId: 'apr_1', customerId: 'cust_1', action: 'invoice.void', at } as const;
const command: HeldCommand = { kind: 'void-invoice', data: { invoiceId: 'inv_1' } };
const result = { type: 'invoice', id: 'inv_1' };
const requested: ApprovalRequestEvent = {
  type: 'ApprovalRequested',
  data: {
    ...about,
    resource: result,
    amount: '100',
    currency: 'USD',
    reason: null,
    lines: [],
    effectiveAt: null,
    terms: [],
    changes: [],
    command,
    requestedBy: { type: 'api_key', id: 'key_1', userId: 'ada' },
    expiresAt,
  },
};
const granted: ApprovalRequestEvent = {
  type: 'ApprovalGranted',
  data: { ...about, by: { type: 'user', id: 'bob', userId: 'bob' }, note: null },
};
const task = (attempt: number): Task => ({
  id: 'task_1',
  name: 'execute',
  workspaceId: 'acc_1',
  payload: { requestId: 'apr_1' },
  attempt,
  dueAt: at,
  clock: 'workspace',
  eventId: 'event_1',
  eventAt: at,
  correlationId: 'request_1',
});

/** An approved request in memory, and a process that runs its command with `run`. */
function approved(run: () => Promise<ResourceReference>, held: HeldCommand | string = command) {
  let state: ApprovalRequest = { ...fold(approvalRequestDecider, [requested, granted])!, command: held };
  const contexts: CommandContext[] = [];
  const aggregates = {
    execute: async (
      _decider: unknown,
      _id: string,
      _context: CommandContext,
      change: ApprovalRequestCommand,
    ) => {
      state = fold(approvalRequestDecider, approvalRequestDecider.decide(change, state), state)!;
      return { state };
    },
  } as unknown as AggregateStore;
  const commands = {
    run: async (context: CommandContext) => {
      contexts.push(context);
      return run();
    },
  } as unknown as HeldCommandRegistry;
  const process = new ApprovalsProcess(
    { now: async () => at } as unknown as WorkspaceClock,
    aggregates,
    commands,
  );
  return { process, contexts, request: () => state };
}

describe('the approvals process', () => {
  it('expires a request at its time, and executes an approved one', () => {
    const { process } = approved(async () => result);
    const stream = 'approvalRequest-acc_1.apr_1';
    expect(process.react(recordedEvent(stream, requested))).toEqual([
      { name: 'expire', payload: { requestId: 'apr_1' }, dueAt: expiresAt },
    ]);
    expect(process.react(recordedEvent(stream, granted))).toEqual([
      { name: 'execute', payload: { requestId: 'apr_1' } },
    ]);
  });

  it('runs the command as who asked, under one id in every attempt, and names the approval', async () => {
    let failures = 0;
    const { process, contexts, request } = approved(async () => {
      if (failures++ === 0) throw new Error('the process died here');
      return result;
    });
    await expect(process.perform(task(1))).rejects.toThrow('the process died here');
    expect(request().status).toBe('executing');
    await process.perform(task(2));
    await process.perform(task(3));
    expect(request()).toMatchObject({ status: 'executed', result });
    expect(contexts).toHaveLength(2);
    expect(new Set(contexts.map(({ commandId }) => commandId)).size).toBe(1);
    expect(contexts[1]).toMatchObject({
      actor: {
        type: 'api_key',
        id: 'key_1',
        approval: { requestId: 'apr_1', approvedBy: { type: 'user', id: 'bob' } },
      },
      mayRepeat: true,
    });
  });

  it('takes a refusal as final', async () => {
    const { process, request } = approved(async () => {
      throw new InvalidRequest('invoice_already_paid', 'The invoice is paid');
    });
    await process.perform(task(1));
    expect(request()).toMatchObject({
      status: 'failed',
      failure: { code: 'invoice_already_paid', message: 'The invoice is paid' },
    });
  });

  it.each([
    new Unavailable('event_store_unavailable', 'Try again'),
    new Conflict('concurrent_modification', 'Try again'),
  ])('tries again after $code', async (error) => {
    const { process, request } = approved(async () => {
      throw error;
    });
    await expect(process.perform(task(1))).rejects.toBe(error);
    expect(request().status).toBe('executing');
  });

  it('does nothing of what an erased customer had asked for', async () => {
    const { process, contexts, request } = approved(async () => result, '[erased]');
    await process.perform(task(1));
    expect(request()).toMatchObject({ status: 'failed', failure: { code: 'customer_erased' } });
    expect(contexts).toEqual([]);
  });
});
