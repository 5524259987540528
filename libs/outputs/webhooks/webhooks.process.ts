import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { deriveId, deriveUlid, type Instant } from '#libs/kernel/core';
import { systemClock } from '#libs/kernel/system';
import { follow, type CommandContext } from '#libs/kernel/event-store';
import { type RecordedEvent } from '#libs/kernel/domain';
import {
  ProcessManager,
  type Task,
  type TaskHandlers,
  type TaskRequest,
  type TaskResult,
} from '#libs/kernel/saga';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { ChangeWebhook } from './commands/change-webhook.js';
import { deliverTask, type Deliver } from './delivery/deliver-task.js';
import { Deliverer } from './delivery/deliverer.js';
import { DeliveryStore } from './delivery/delivery-store.js';
import { Endpoints, SENDING_PROCESS } from './endpoints.js';
import { envelopeOf } from './public-events/envelope.js';
import { MessageData } from './public-events/message-data.js';
import { ReminderData } from './public-events/reminder-data.js';
import { remindersOf, type Reminder } from './public-events/reminders.js';
import { messageOf, type Message } from './public-events/messages.js';

/** A message to be told to every endpoint that wants to hear of it. `data` is JSON text, so that it stays exact. */
type FanOut = Omit<Message, 'data'> & {
  data: string;
  /** Where the event is in the log: endpoints hear of it as they were then. Absent: as they are. */
  position?: string;
  /** Beside what the event itself led to: so its deliveries have ids of their own. */
  isReminder?: true;
  /** What it reminds of, where several events can plan that: it is told once. */
  about?: InvoiceAhead;
};

/** An invoice that is told of before it is there: when it is made, and what tells it from others. */
interface InvoiceAhead {
  key: string;
  until: Instant;
}

interface Tasks {
  'fan-out': FanOut;
  remind: Reminder;
  deliver: Deliver;
}

/**
 * Tells endpoints what happened. An event leads to one task that stores a delivery for each endpoint. Each delivery is a task of its own,
 * repeated until it is delivered or given up. So no endpoint waits for another. The deliveries of one are a queue, which is held while
 * nothing reaches it. Each is sent at once, whatever the workspace's clock says, and retried by that clock.
 */
@Injectable()
export class WebhooksProcess extends ProcessManager<Tasks> {
  readonly name = SENDING_PROCESS;
  /** Attempts are mostly waiting for an answer. A workspace alone has half of them. */
  override readonly slots = 128;

  constructor(
    clock: WorkspaceClock,
    private readonly endpoints: Endpoints,
    private readonly deliveries: DeliveryStore,
    private readonly deliverer: Deliverer,
    private readonly data: MessageData,
    private readonly reminderData: ReminderData,
    private readonly commands: CommandBus,
  ) {
    super(clock);
  }

  override react(event: RecordedEvent): TaskRequest<Tasks>[] {
    const message = messageOf(event);
    const payload: FanOut | undefined = message && {
      ...message,
      data: JSON.stringify(message.data),
      position: event.position.toString(),
    };
    return [
      ...(payload ? [{ name: 'fan-out', payload, clock: 'system' } as const] : []),
      ...remindersOf(event).map(({ reminder, dueAt }) => ({
        ...{ name: 'remind' as const, key: reminder.event, payload: reminder, dueAt },
      })),
    ];
  }

  /** Most workspaces have no endpoint, and an endpoint is known before anything happens that it is to hear of. */
  override concerned(workspaceIds: readonly string[]): Promise<ReadonlySet<string>> {
    return this.endpoints.workspacesAmong(workspaceIds);
  }

  protected override readonly tasks: TaskHandlers<Tasks> = {
    'fan-out': (payload, context, task) => this.fanOut(payload, context, task),
    remind: (reminder, context) => this.remind(reminder, context),
    deliver: (delivery, context) => this.deliver(delivery, context),
  };

  private async fanOut(
    payload: FanOut,
    { workspaceId, now }: CommandContext,
    { eventId, eventAt }: Task,
  ): Promise<TaskResult> {
    const { position } = payload;
    const before = position === undefined ? undefined : BigInt(position);
    const targets = payload.to
      ? [payload.to]
      : (await this.endpoints.subscribedTo(workspaceId, payload.event, before)).map(({ webhookId }) => ({
          webhookId,
          deliveryId: payload.about
            ? deliveryIdAhead(payload.about, webhookId)
            : deliveryIdOf(eventAt, [
                ...[eventId, webhookId],
                ...(payload.isReminder ? [payload.event] : []),
              ]),
        }));
    if (targets.length === 0) return {};
    const createdAt = systemClock.now();
    const data = await this.data.of(workspaceId, payload);
    await this.deliveries.add(
      targets.map(({ webhookId, deliveryId }) => ({
        id: deliveryId,
        workspaceId,
        webhookId,
        event: payload.event,
        body: envelopeOf(deliveryId, { ...payload, data }),
        isTest: payload.to !== undefined,
        createdAt,
        begunAt: now,
      })),
    );
    const isTest = payload.to !== undefined;
    const tasks = targets.map((target) => ({
      ...deliverTask(target, isTest),
      ...(payload.about === undefined ? {} : { subject: target.deliveryId }),
    }));
    return { tasks };
  }

  /**
   * Tells of what is still so when its time has come. What is told is settled here, once, so that it is the same however often it is sent.
   */
  private async remind(
    reminder: Reminder,
    { workspaceId, now: timestamp }: CommandContext,
  ): Promise<TaskResult> {
    const { event } = reminder;
    // To work out an invoice costs something: not where nobody wants to hear of it, or all have.
    const endpoints = await this.endpoints.subscribedTo(workspaceId, event);
    if (endpoints.length === 0) return {};
    const about = event === 'invoice.upcoming' ? await this.aheadOf(workspaceId, reminder) : undefined;
    if (about && (await this.isTold(about, endpoints))) return {};
    const data = await this.reminderData.of(workspaceId, reminder);
    if (data === undefined) return {};
    const payload: FanOut = { event, data, timestamp, isReminder: true, ...(about ? { about } : {}) };
    return { tasks: [{ name: 'fan-out', key: event, payload, clock: 'system' }] };
  }

  private async aheadOf(
    workspaceId: string,
    reminder: Extract<Reminder, { until: Instant }>,
  ): Promise<InvoiceAhead | undefined> {
    const key = await this.reminderData.invoiceKeyOf(workspaceId, reminder);
    return key === undefined ? undefined : { key, until: reminder.until };
  }

  private async isTold(about: InvoiceAhead, endpoints: readonly { webhookId: string }[]): Promise<boolean> {
    const told = endpoints.map(({ webhookId }) => this.deliveries.find(deliveryIdAhead(about, webhookId)));
    return (await Promise.all(told)).every((delivery) => delivery !== undefined);
  }

  private async deliver(
    { deliveryId, webhookId, round }: Deliver,
    context: CommandContext,
  ): Promise<TaskResult> {
    const { again, giveUp } = await this.deliverer.attempt(deliveryId, round);
    if (giveUp)
      await this.commands.execute(
        new ChangeWebhook(follow(context, 'give up'), { type: 'GiveUpOnWebhook', webhookId }),
      );
    return again === undefined ? {} : { again };
  }
}

/** The same for whichever subscription and event it was planned by. */
function deliveryIdAhead({ key, until }: InvoiceAhead, webhookId: string): string {
  return deriveUlid('evt', until, key, webhookId, 'invoice.upcoming');
}

/** The same at each attempt, and in tasks of versions that did not note the event's time as it was there. */
function deliveryIdOf(eventAt: Instant | null, parts: string[]): string {
  return eventAt === null ? deriveId('evt', ...parts) : deriveUlid('evt', eventAt, ...parts);
}
