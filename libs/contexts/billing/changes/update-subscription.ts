import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ApprovalGate, HeldCommandRegistry, type ProposedAction } from '#libs/contexts/approvals';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import {
  ChangeSubscription,
  pricesInChange,
  subscriptionDecider,
  type Subscription,
  type SubscriptionUpdate,
} from '#libs/contexts/subscriptions';
import { DueChangeApplier } from '../advance/due-change-applier.js';
import { LicenseCounter } from '../decide/license-counter.js';
import { BillPreviewer } from '../previews/bill-previewer.js';
import { cancellationEffect, pauseEffect } from './proposed-terms.js';
import { TrialUsageRecorder } from '../decide/trial-usage-recorder.js';

/**
 * Cancels, pauses, resumes or amends a subscription, now or later. Changes that are already due are applied first, so that the requested
 * change applies to the present period. If the change leads to a bill, the billing process creates the invoice of the bill afterwards.
 * Throws ActionHeld if the change is a cancellation or a pause that needs approval.
 */
export class UpdateSubscription extends Command<Subscription> {
  constructor(
    readonly context: CommandContext,
    readonly update: SubscriptionUpdate,
  ) {
    super();
  }
}

type Cancellation = Extract<SubscriptionUpdate, { type: 'CancelSubscription' }>;
type Pause = Extract<SubscriptionUpdate, { type: 'PauseSubscription' }>;

@CommandHandler(UpdateSubscription)
export class UpdateSubscriptionHandler implements ICommandHandler<UpdateSubscription> {
  constructor(
    private readonly commands: CommandBus,
    private readonly cycles: DueChangeApplier,
    private readonly licenses: LicenseCounter,
    private readonly aggregates: AggregateStore,
    private readonly previews: BillPreviewer,
    private readonly gate: ApprovalGate,
    private readonly trialUsage: TrialUsageRecorder,
    held: HeldCommandRegistry,
  ) {
    held.register<Cancellation, Subscription>({
      kind: 'cancel-subscription',
      createCommand: (context, data) => new UpdateSubscription(context, data),
      propose: (context, data) => this.propose(context, data),
      resourceOf: ({ subscriptionId: id }) => ({ type: 'subscription', id }),
    });
    held.register<Pause, Subscription>({
      kind: 'pause-subscription',
      createCommand: (context, data) => new UpdateSubscription(context, data),
      propose: (context, data) => this.propose(context, data),
      resourceOf: ({ subscriptionId: id }) => ({ type: 'subscription', id }),
    });
  }

  async execute({ context, update }: UpdateSubscription): Promise<Subscription> {
    const { now: at } = context;
    const { subscription } = await this.cycles.applyDueChanges(context, update.subscriptionId);
    if (update.type === 'CancelSubscription')
      await this.gate.requireApprovalIfNeeded(context, 'subscription.cancel', () =>
        this.propose(context, update),
      );
    if (update.type === 'PauseSubscription')
      await this.gate.requireApprovalIfNeeded(context, 'subscription.pause', () =>
        this.propose(context, update),
      );
    if ('change' in update)
      await this.licenses.countLicensesForPrices(context, subscription, pricesInChange(update.change));
    await this.trialUsage.recordBeforeChange(context.workspaceId, subscription);
    return (await this.commands.execute(new ChangeSubscription(context, { ...update, at }))).state;
  }

  /** Describes a cancellation or a pause for its approval request, with the lines of the invoice that it would create now. */
  private async propose(
    context: CommandContext,
    update: Cancellation | Pause,
  ): Promise<ProposedAction | undefined> {
    const { workspaceId, now: at } = context;
    const id = aggregateId(workspaceId, update.subscriptionId);
    const preview = await this.aggregates.preview(subscriptionDecider, id, context, { ...update, at });
    if (!preview) return undefined;
    const [before, after] = [preview.before!, preview.after];
    const bill = after.billCount > before.billCount ? after.lastBill : null;
    const invoice = bill && (await this.previews.previewBill(workspaceId, bill, [after]));
    return {
      customerId: after.customerId,
      resource: { type: 'subscription', id: after.subscriptionId },
      amount: null,
      currency: after.currency,
      reason: null,
      lines: (invoice?.lines ?? []).map(({ description, amount }) => ({ description, amount })),
      ...(update.type === 'CancelSubscription'
        ? cancellationEffect(before, after)
        : pauseEffect(before, after)),
      command: {
        kind: update.type === 'CancelSubscription' ? 'cancel-subscription' : 'pause-subscription',
        data: update,
      },
    };
  }
}
