import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { deriveId, deriveUlid, type Instant } from '#libs/kernel/core';
import { systemClock } from '#libs/kernel/system';
import { followUpContext, type CommandContext } from '#libs/kernel/event-store';
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
import { deliverTask, type DeliverTask } from './delivery/deliver-task.js';
import { Deliverer } from './delivery/deliverer.js';
import { DeliveryStore } from './delivery/delivery-store.js';
import { EndpointStore, WEBHOOKS_PROCESS_MANAGER } from './endpoint-store.js';
import { envelopeOf } from './public-events/envelope.js';
import { MessageDataMaker } from './public-events/message-data-maker.js';
import { ReminderDataMaker } from './public-events/reminder-data-maker.js';
import { remindersOf, type Reminder } from './public-events/reminders.js';
import { webhookMessageOf, type WebhookMessage } from './public-events/messages.js';

/** A message that is sent to every endpoint that subscribes to its event. `data` is JSON text, so that numbers stay exact. */
type FanOut = Omit<WebhookMessage, 'data'> & {
  data: string;
  /**
   * The position of the event in the log. Endpoints that were subscribed at this position get the message; without a position, endpoints
   * that are subscribed now get it.
   */
  position?: string;
  /** Marks a reminder. The delivery ids of a reminder differ from those of the event that planned the reminder. */
  isReminder?: true;
  /**
   * The invoice that the reminder announces. Set only if several events can plan the same reminder, so that the reminder is sent only once.
   */
  about?: InvoiceAhead;
};

/** An invoice that a reminder announces: the key that identifies it, and the time at which it will be created. */
interface InvoiceAhead {
  key: string;
  until: Instant;
}

interface Tasks {
  'fan-out': FanOut;
  remind: Reminder;
  deliver: DeliverTask;
}

/**
 * Sends events to endpoints. Each event leads to one task, which stores a delivery for each endpoint. Each delivery is a separate task,
 * which is repeated until the delivery has succeeded or finally failed. An endpoint therefore never waits for another endpoint. The
 * deliveries of an endpoint are in a queue, which is paused while every attempt at the endpoint fails. The first attempt at a delivery is
 * made at once, or after the pause. The first attempt does not wait for the workspace's clock, which may be frozen. Retries follow that
 * clock.
 */
@Injectable()
export class WebhooksProcess extends ProcessManager<Tasks> {
  readonly name = WEBHOOKS_PROCESS_MANAGER;
  /**
   * The maximum number of webhook tasks that run at the same time. Attempts to deliver mostly wait for responses. A workspace can use at
   * most half of the slots.
   */
  override readonly slots = 128;

  constructor(
    clock: WorkspaceClock,
    private readonly endpoints: EndpointStore,
    private readonly deliveries: DeliveryStore,
    private readonly deliverer: Deliverer,
    private readonly data: MessageDataMaker,
    private readonly reminderData: ReminderDataMaker,
    private readonly commands: CommandBus,
  ) {
    super(clock);
  }

  override react(event: RecordedEvent): TaskRequest<Tasks>[] {
    const message = webhookMessageOf(event);
    const payload: FanOut | undefined = message && {
      ...message,
      data: JSON.stringify(message.data),
      position: event.position.toString(),
    };
    return [
      ...(payload ? [{ name: 'fan-out', payload, clock: 'system' } as const] : []),
      ...remindersOf(event).map(({ reminder, dueAt }) => ({
        name: 'remind' as const,
        key: reminder.event,
        payload: reminder,
        dueAt,
      })),
    ];
  }

  /**
   * Skips workspaces without endpoints. Most workspaces have none. No event is missed, because an endpoint is stored before the first event
   * that is sent to it.
   */
  override workspacesWithWork(workspaceIds: readonly string[]): Promise<ReadonlySet<string>> {
    return this.endpoints.workspacesWithEndpoints(workspaceIds);
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
      : (await this.endpoints.findSubscribedWebhooks(workspaceId, payload.event, before)).map(
          ({ webhookId }) => ({
            webhookId,
            deliveryId: payload.about
              ? deliveryIdAhead(payload.about, webhookId)
              : deliveryIdOf(eventAt, [eventId, webhookId, ...(payload.isReminder ? [payload.event] : [])]),
          }),
        );
    if (targets.length === 0) return {};
    const createdAt = systemClock.now();
    const data = await this.data.makeData(workspaceId, payload);
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
   * Sends a reminder at its time, if the reason for the reminder still exists. The content of a reminder is computed once, so that every
   * attempt sends the same content.
   */
  private async remind(
    reminder: Reminder,
    { workspaceId, now: timestamp }: CommandContext,
  ): Promise<TaskResult> {
    const { event } = reminder;
    // Computing an invoice is expensive, so it is skipped if no endpoint subscribes, or if all have the reminder already.
    const endpoints = await this.endpoints.findSubscribedWebhooks(workspaceId, event);
    if (endpoints.length === 0) return {};
    const about = event === 'invoice.upcoming' ? await this.aheadOf(workspaceId, reminder) : undefined;
    if (about && (await this.isTold(about, endpoints))) return {};
    const data = await this.reminderData.makeData(workspaceId, reminder);
    if (data === undefined) return {};
    const payload: FanOut = { event, data, timestamp, isReminder: true, ...(about ? { about } : {}) };
    return { tasks: [{ name: 'fan-out', key: event, payload, clock: 'system' }] };
  }

  private async aheadOf(
    workspaceId: string,
    reminder: Extract<Reminder, { until: Instant }>,
  ): Promise<InvoiceAhead | undefined> {
    const key = await this.reminderData.upcomingInvoiceKeyOf(workspaceId, reminder);
    return key === undefined ? undefined : { key, until: reminder.until };
  }

  private async isTold(about: InvoiceAhead, endpoints: readonly { webhookId: string }[]): Promise<boolean> {
    const told = endpoints.map(({ webhookId }) => this.deliveries.find(deliveryIdAhead(about, webhookId)));
    return (await Promise.all(told)).every((delivery) => delivery !== undefined);
  }

  private async deliver(
    { deliveryId, webhookId, round }: DeliverTask,
    context: CommandContext,
  ): Promise<TaskResult> {
    const { nextAttemptAt, shouldDisableEndpoint } = await this.deliverer.attempt(deliveryId, round);
    if (shouldDisableEndpoint)
      await this.commands.execute(
        new ChangeWebhook(followUpContext(context, 'give up'), { type: 'GiveUpOnWebhook', webhookId }),
      );
    return nextAttemptAt === undefined ? {} : { performAgainAt: nextAttemptAt };
  }
}

/**
 * The id of the delivery of a reminder that announces an invoice. The id does not depend on the subscription and event that planned the
 * reminder.
 */
function deliveryIdAhead({ key, until }: InvoiceAhead, webhookId: string): string {
  return deriveUlid('evt', until, key, webhookId, 'invoice.upcoming');
}

/**
 * The id of a delivery, which is the same for all its attempts. Tasks that an older version of the program stored do not contain the time
 * of the event. The delivery ids of such old tasks have the old form.
 */
function deliveryIdOf(eventAt: Instant | null, parts: string[]): string {
  return eventAt === null ? deriveId('evt', ...parts) : deriveUlid('evt', eventAt, ...parts);
}
