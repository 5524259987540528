import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Customers } from '#libs/contexts/customers';
import { NotFound } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, idFor, type CommandContext } from '#libs/kernel/event-store';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import {
  activeLicense,
  customerLicensesDecider,
  type CustomerLicenses,
  type License,
} from '../customer-licenses.js';
import { LicenseTypeDirectory } from '../license-types.js';
import { Licenses } from '../licenses.js';

/** Allocates a license of a license type to a person at a customer. The license takes one seat. */
export class AllocateLicense extends Command<License> {
  constructor(
    readonly context: CommandContext,
    readonly customerId: string,
    readonly licenseTypeId: string,
  ) {
    super();
  }
}

@CommandHandler(AllocateLicense)
export class AllocateLicenseHandler implements ICommandHandler<AllocateLicense> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly customers: Customers,
    private readonly types: LicenseTypeDirectory,
    private readonly clock: WorkspaceClock,
    private readonly licenses: Licenses,
  ) {}

  /**
   * Throws NotFound for a customer that is not in the workspace. Throws NotFound (`license_type_not_found`) for a license type that only
   * deleted prices or no prices name. Throws Conflict (`too_many_licenses`) if the customer has the maximum number of active licenses.
   */
  async execute({ context, customerId, licenseTypeId }: AllocateLicense): Promise<License> {
    const { workspaceId } = context;
    const licenseId = idFor(context, 'lic');
    const id = aggregateId(workspaceId, customerId);
    const repeated = await this.aggregates.findRepeated(customerLicensesDecider, id, context);
    if (repeated) return this.licenseOf(workspaceId, customerId, licenseId, repeated);
    await this.customers.require(workspaceId, customerId);
    if (!(await this.types.isKnown(workspaceId, licenseTypeId)))
      throw new NotFound(
        'license_type_not_found',
        `No price names the license type "${licenseTypeId}"; create a price of the model license with this licenseTypeId first`,
        undefined,
        { resource: 'license type', id: licenseTypeId },
      );
    await this.clock.markInUse(workspaceId);
    // Read the clock only now. Before the clock was marked as in use, a sandbox's clock could still be set back.
    const at = await this.clock.now(workspaceId);
    const command = { type: 'AllocateLicense', customerId, licenseId, licenseTypeId, at } as const;
    const { state } = await this.aggregates.execute(customerLicensesDecider, id, context, command);
    return this.licenseOf(workspaceId, customerId, licenseId, state);
  }

  /** Returns the license. A repeated request can come after the end of the license. */
  private async licenseOf(
    workspaceId: string,
    customerId: string,
    licenseId: string,
    state: CustomerLicenses,
  ): Promise<License> {
    return activeLicense(state, licenseId) ?? this.licenses.require(workspaceId, customerId, licenseId);
  }
}
