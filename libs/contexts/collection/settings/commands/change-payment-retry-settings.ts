import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ApprovalGate, HeldCommandRegistry, type ProposedAction } from '#libs/contexts/approvals';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { CurrentPaymentRetrySettings } from '../current-payment-retry-settings.js';
import type { PaymentRetrySettings } from '../events.js';
import { initialState, paymentRetrySettingsDecider } from '../payment-retry-settings.js';
import { proposedWriteOffs, type HeldRetryChange } from '../proposed-write-offs.js';

/**
 * Changes some retry settings of a workspace and keeps the others. Retries that are planned already keep their time. Throws ActionHeld if
 * invoices will be written off after their last retry from now on, and the write-off of an invoice needs approval.
 */
export class ChangePaymentRetrySettings extends Command<PaymentRetrySettings> {
  constructor(
    readonly context: CommandContext,
    readonly changes: Partial<PaymentRetrySettings>,
  ) {
    super();
  }
}

@CommandHandler(ChangePaymentRetrySettings)
export class ChangePaymentRetrySettingsHandler implements ICommandHandler<ChangePaymentRetrySettings> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly settings: CurrentPaymentRetrySettings,
    private readonly gate: ApprovalGate,
    held: HeldCommandRegistry,
  ) {
    held.register<HeldRetryChange, PaymentRetrySettings>({
      kind: 'change-payment-retry-settings',
      createCommand: (context, { changes }) => new ChangePaymentRetrySettings(context, changes),
      propose: (context, data) => this.propose(context, data),
      resourceOf: (_, { workspaceId: id }) => ({ type: 'payment_retry_settings', id }),
    });
  }

  async execute({ context, changes }: ChangePaymentRetrySettings): Promise<PaymentRetrySettings> {
    const { workspaceId } = context;
    await this.gate.requireApprovalIfNeeded(context, 'invoice.mark_uncollectible', () =>
      this.propose(context, { changes }),
    );
    const command = { type: 'ChangePaymentRetrySettings', workspaceId, changes } as const;
    await this.aggregates.execute(paymentRetrySettingsDecider, workspaceId, context, command);
    return this.settings.ofWorkspace(workspaceId);
  }

  /** Describes the change for its approval request. Undefined if it begins no write-offs, or has run already. */
  private async propose(context: CommandContext, data: HeldRetryChange): Promise<ProposedAction | undefined> {
    const { workspaceId } = context;
    const command = { type: 'ChangePaymentRetrySettings', workspaceId, ...data } as const;
    const preview = await this.aggregates.preview(paymentRetrySettingsDecider, workspaceId, context, command);
    return preview && proposedWriteOffs(workspaceId, preview.before ?? initialState, preview.after, data);
  }
}
