import { Injectable } from '@nestjs/common';
import { systemContext, type CommandContext, type Recorded, type RecordedEvent } from '#libs/event-store';
import { ProcessManager, type Task, type TaskRequest } from '#libs/saga';
import type { Bill, SubscriptionEvent } from '#libs/subscriptions';
import { WorkspaceClock } from '#libs/workspaces';
import { BillIssuing } from './bill-issuing.js';
import { BillingCycles } from './billing-cycles.js';

/** The tasks of billing, by name, with their payloads. */
interface Payloads {
  'issue-invoice': { bill: Bill };
  'pass-boundary': { subscriptionId: string };
}

/** Bills on a schedule: each period's end is a timer, and each bill that was decided becomes an invoice. */
@Injectable()
export class BillingProcess extends ProcessManager {
  readonly name = 'billing';

  constructor(
    private readonly cycles: BillingCycles,
    private readonly issuing: BillIssuing,
    private readonly clock: WorkspaceClock,
  ) {
    super();
  }

  override react(recorded: RecordedEvent): TaskRequest[] {
    const event = recorded as Recorded<SubscriptionEvent>;
    switch (event.type) {
      case 'SubscriptionCreated':
      case 'SubscriptionRenewed': {
        const { subscriptionId, period, bill } = event.data;
        return [...invoiceOf(bill), task('pass-boundary', { subscriptionId }, { dueAt: period.end })];
      }
      case 'SubscriptionUsageBilled':
      case 'SubscriptionCanceled':
        return invoiceOf(event.data.bill);
      case 'SubscriptionCancellationScheduled':
        // The timer of the period's end is set already; the boundary finds the cancellation there.
        return [];
      default:
        return [];
    }
  }

  override async perform(task: Task): Promise<void> {
    const context = await this.contextOf(task);
    switch (task.name as keyof Payloads) {
      case 'issue-invoice':
        await this.issuing.issue(context, (task.payload as Payloads['issue-invoice']).bill);
        return;
      case 'pass-boundary':
        await this.cycles.catchUp(context, (task.payload as Payloads['pass-boundary']).subscriptionId);
        return;
    }
  }

  private async contextOf({ id, accountId, correlationId, eventId }: Task): Promise<CommandContext> {
    const now = await this.clock.now(accountId);
    return systemContext({
      accountId,
      now,
      process: this.name,
      commandId: id,
      correlationId,
      causationId: eventId,
    });
  }
}

function task<Name extends keyof Payloads>(
  name: Name,
  payload: Payloads[Name],
  more: Pick<TaskRequest, 'dueAt'> = {},
): TaskRequest {
  return { name, payload, ...more };
}

function invoiceOf(bill: Bill | null): TaskRequest[] {
  return bill === null ? [] : [task('issue-invoice', { bill })];
}
