import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { CurrentPaymentRetrySettings } from '../current-payment-retry-settings.js';
import type { PaymentRetrySettings } from '../events.js';
import { paymentRetrySettingsDecider } from '../payment-retry-settings.js';

/** Changes some retry settings of a workspace and keeps the others. Retries that are planned already keep their time. */
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
  ) {}

  async execute({ context, changes }: ChangePaymentRetrySettings): Promise<PaymentRetrySettings> {
    const { workspaceId } = context;
    const command = { type: 'ChangePaymentRetrySettings', workspaceId, changes } as const;
    await this.aggregates.execute(paymentRetrySettingsDecider, workspaceId, context, command);
    return this.settings.ofWorkspace(workspaceId);
  }
}
