import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { customerLicensesDecider, requireLicense, type License } from '../customer-licenses.js';

/**
 * Deactivates a customer's license, which frees its seat. If the license was deactivated before, returns it unchanged. Throws NotFound if
 * the customer does not have the license.
 */
export class DeactivateLicense extends Command<License> {
  constructor(
    readonly context: CommandContext,
    readonly customerId: string,
    readonly licenseId: string,
  ) {
    super();
  }
}

@CommandHandler(DeactivateLicense)
export class DeactivateLicenseHandler implements ICommandHandler<DeactivateLicense> {
  constructor(private readonly aggregates: AggregateStore) {}

  async execute({ context, customerId, licenseId }: DeactivateLicense): Promise<License> {
    const command = { type: 'DeactivateLicense', customerId, licenseId, at: context.now } as const;
    const id = aggregateId(context.workspaceId, customerId);
    const { state } = await this.aggregates.execute(customerLicensesDecider, id, context, command);
    return requireLicense(state, licenseId);
  }
}
