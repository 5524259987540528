import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { activeLicense, customerLicensesDecider, type DeactivatedLicense } from '../customer-licenses.js';
import { Licenses } from '../licenses.js';

/**
 * Deactivates a customer's license, which frees its seat. If the license is already inactive, the command returns it unchanged. Throws
 * NotFound if the customer never had the license.
 */
export class DeactivateLicense extends Command<DeactivatedLicense> {
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
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly licenses: Licenses,
  ) {}

  async execute({ context, customerId, licenseId }: DeactivateLicense): Promise<DeactivatedLicense> {
    const { workspaceId, now: at } = context;
    const id = aggregateId(workspaceId, customerId);
    const before = await this.aggregates.load(customerLicensesDecider, id);
    const license = before && activeLicense(before, licenseId);
    if (license) {
      const command = { type: 'DeactivateLicense', customerId, licenseId, at } as const;
      const { events } = await this.aggregates.execute(customerLicensesDecider, id, context, command);
      const [ended] = events;
      if (ended) return { ...license, deactivatedAt: ended.data.at };
    }
    // The state has no licenses that ended. A license of the customer that is not in the state was deactivated.
    const ended = await this.licenses.require(workspaceId, customerId, licenseId);
    return { ...ended, deactivatedAt: ended.deactivatedAt! };
  }
}
