import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { StateConflict } from '#libs/kernel/core';
import { idFor, type CommandContext } from '#libs/kernel/event-store';
import { Customers, type Customer, type PaymentMethodPurpose } from '#libs/contexts/customers';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { testPaymentMethodFields, type TestPaymentMethodName } from '../test-payment-methods.js';

/**
 * Attaches a test payment method to a customer. Throws StateConflict (`sandbox_only`) in a live workspace. Throws InvalidRequest if
 * `declines` is missing or not allowed for the method. Throws NotFound if the customer is not in the workspace, or is deleted.
 */
export class AddTestPaymentMethod extends Command<{ customer: Customer; paymentMethodId: string }> {
  constructor(
    readonly context: CommandContext,
    readonly customerId: string,
    readonly test: TestPaymentMethodName,
    /**
     * `pm_card_declineThenSucceed` is declined for the attempts of an invoice up to this number. Attempts with other cards on the same
     * invoice count too. Undefined for every other method.
     */
    readonly declines: number | undefined,
    readonly purpose: PaymentMethodPurpose = {},
  ) {
    super();
  }
}

@CommandHandler(AddTestPaymentMethod)
export class AddTestPaymentMethodHandler implements ICommandHandler<AddTestPaymentMethod> {
  constructor(
    private readonly customers: Customers,
    private readonly workspaces: WorkspaceClock,
  ) {}

  async execute({ context, customerId, test, declines, purpose }: AddTestPaymentMethod) {
    if ((await this.workspaces.readMode(context.workspaceId)) !== 'sandbox')
      throw new StateConflict('sandbox_only', 'Test payment methods are only for sandbox workspaces');
    const paymentMethodId = idFor(context, 'pm', customerId);
    const method = { paymentMethodId, ...testPaymentMethodFields(test, declines) };
    const customer = await this.customers.attachPaymentMethod(context, customerId, method, purpose);
    return { customer, paymentMethodId };
  }
}
