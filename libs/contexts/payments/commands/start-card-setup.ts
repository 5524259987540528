import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InvalidRequest, NotFound } from '#libs/kernel/core';
import { idFor, type CommandContext } from '#libs/kernel/event-store';
import { systemClock } from '#libs/kernel/system';
import { Customers } from '#libs/contexts/customers';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { CardSetups } from '../stripe/card-setups.js';

/** A page of the payment processor where the customer enters a card. */
export interface CardPage {
  /** The id that the payment method gets when the card is saved. */
  readonly paymentMethodId: string;
  /** The address of the page. */
  readonly url: string;
}

/**
 * Creates a page of the payment processor where the customer enters a card. Throws NotFound if the customer is not in the workspace, or is
 * deleted. Throws InvalidRequest if the workspace is a sandbox (`live_only`) or has no payment gateway (`no_payment_gateway`).
 */
export class StartCardSetup extends Command<CardPage> {
  constructor(
    readonly context: CommandContext,
    readonly customerId: string,
    /** The address to which the customer returns from the page. */
    readonly returnUrl: string,
  ) {
    super();
  }
}

@CommandHandler(StartCardSetup)
export class StartCardSetupHandler implements ICommandHandler<StartCardSetup> {
  constructor(
    private readonly customers: Customers,
    private readonly workspaces: WorkspaceClock,
    private readonly setups: CardSetups,
  ) {}

  async execute({ context, customerId, returnUrl }: StartCardSetup): Promise<CardPage> {
    const { workspaceId } = context;
    const customer = await this.customers.find(workspaceId, customerId);
    if (!customer || customer.deleted) throw NotFound.of('customer', customerId);
    if ((await this.workspaces.readMode(workspaceId)) !== 'live')
      throw new InvalidRequest('live_only', 'Cards are only for live workspaces; a sandbox has test methods');
    const paymentMethodId = idFor(context, 'pm', customerId);
    const url = await this.setups.start({
      ...{ id: idFor(context, 'cset', customerId), workspaceId, customerId, paymentMethodId, returnUrl },
      startedAt: systemClock.now(),
    });
    return { paymentMethodId, url };
  }
}
