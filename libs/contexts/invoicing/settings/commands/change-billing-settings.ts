import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { TaxRates } from '#libs/contexts/taxes';
import { billingSettingsDecider } from '../billing-settings.js';
import { CurrentBillingSettings } from '../current-billing-settings.js';
import type { BillingSettings } from '../events.js';

/**
 * Changes some settings of a workspace and keeps the others. Existing invoices keep their settings. Throws InvalidRequest for tax rates
 * that do not exist in the workspace, and for archived tax rates unless the settings already contain them. Throws InvalidRequest also for
 * an unacceptable logo, for prefixes that invoices and credit notes would share, and for e-invoices without the needed fields of the
 * seller.
 */
export class ChangeBillingSettings extends Command<BillingSettings> {
  constructor(
    readonly context: CommandContext,
    readonly changes: Partial<BillingSettings>,
  ) {
    super();
  }
}

@CommandHandler(ChangeBillingSettings)
export class ChangeBillingSettingsHandler implements ICommandHandler<ChangeBillingSettings> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly settings: CurrentBillingSettings,
    private readonly taxRates: TaxRates,
  ) {}

  async execute({ context, changes }: ChangeBillingSettings): Promise<BillingSettings> {
    const { workspaceId } = context;
    const { defaultTaxRateIds } = changes;
    const repeated = await this.aggregates.findRepeated(billingSettingsDecider, workspaceId, context);
    if (defaultTaxRateIds && !repeated) {
      const present = (await this.settings.ofWorkspace(workspaceId)).defaultTaxRateIds;
      await this.taxRates.requireAssignable(workspaceId, defaultTaxRateIds, 'defaultTaxRateIds', present);
    }
    const command = { type: 'ChangeBillingSettings', workspaceId, changes } as const;
    await this.aggregates.execute(billingSettingsDecider, workspaceId, context, command);
    return this.settings.ofWorkspace(workspaceId);
  }
}
