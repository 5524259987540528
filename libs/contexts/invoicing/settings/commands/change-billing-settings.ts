import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ProvedAdmins } from '#libs/contexts/identity';
import { Forbidden } from '#libs/kernel/core';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { TaxRates } from '#libs/contexts/taxes';
import { billingSettingsDecider } from '../billing-settings.js';
import { CurrentBillingSettings } from '../current-billing-settings.js';
import type { BillingSettings } from '../events.js';

/**
 * Changes some settings of a workspace and keeps the others. Existing invoices keep their settings. Throws InvalidRequest for tax rates
 * that do not exist in the workspace, and for archived tax rates unless the settings already contain them. Throws InvalidRequest also for
 * an unacceptable logo, for prefixes that invoices and credit notes would share, and for e-invoices without the needed fields of the
 * seller. Throws Forbidden (`address_not_proved`) for a new entry of `sandboxEmailAllowlist` in a sandbox of which no admin has proved the
 * e-mail address.
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
    private readonly clock: WorkspaceClock,
    private readonly admins: ProvedAdmins,
  ) {}

  async execute({ context, changes }: ChangeBillingSettings): Promise<BillingSettings> {
    const { workspaceId } = context;
    const { defaultTaxRateIds, sandboxEmailAllowlist } = changes;
    const repeated = await this.aggregates.findRepeated(billingSettingsDecider, workspaceId, context);
    if (defaultTaxRateIds && !repeated) {
      const present = (await this.settings.ofWorkspace(workspaceId)).defaultTaxRateIds;
      await this.taxRates.requireAssignable(workspaceId, defaultTaxRateIds, 'defaultTaxRateIds', present);
    }
    if (sandboxEmailAllowlist && !repeated) await this.requireProvedAdmin(workspaceId, sandboxEmailAllowlist);
    const command = { type: 'ChangeBillingSettings', workspaceId, changes } as const;
    await this.aggregates.execute(billingSettingsDecider, workspaceId, context, command);
    return this.settings.ofWorkspace(workspaceId);
  }

  /**
   * Throws Forbidden if the list has a new entry, the workspace is a sandbox, and no admin of it has proved the e-mail address. The copy of
   * a sandbox's settings to its live workspace passes, since a live workspace does not use the list.
   */
  private async requireProvedAdmin(workspaceId: string, allowlist: readonly string[]): Promise<void> {
    const present = (await this.settings.ofWorkspace(workspaceId)).sandboxEmailAllowlist;
    if (allowlist.every((entry) => present.includes(entry))) return;
    if ((await this.clock.readMode(workspaceId)) !== 'sandbox') return;
    if (await this.admins.hasAny(workspaceId)) return;
    throw new Forbidden(
      'address_not_proved',
      'sandboxEmailAllowlist takes no address while no admin of the sandbox has proved the e-mail address; send POST /v1/auth/magic-link, and open the link of the mail',
    );
  }
}
