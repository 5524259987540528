import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { SETTINGS } from '#libs/kernel/app';
import { InvalidRequest, NotFound, StateConflict } from '#libs/kernel/core';
import { idFor, type CommandContext } from '#libs/kernel/event-store';
import { publicUrlOf, systemClock, type Settings } from '#libs/kernel/system';
import { Customers, type PaymentMethodPurpose } from '#libs/contexts/customers';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { GatewayConnections } from '../connection/gateway-connections.js';
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
 * deleted. Throws InvalidRequest if the workspace is a sandbox (`live_only`) or has no payment gateway (`no_payment_gateway`), or if the
 * workspace does not allow the customer to return to the address (`return_url_not_allowed`).
 */
export class StartCardSetup extends Command<CardPage> {
  constructor(
    readonly context: CommandContext,
    readonly customerId: string,
    /** The address to which the customer returns from the page. */
    readonly returnUrl: string,
    /** What the card is added for, when it is saved. */
    readonly purpose: PaymentMethodPurpose = {},
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
    private readonly connections: GatewayConnections,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async execute({ context, customerId, returnUrl, purpose }: StartCardSetup): Promise<CardPage> {
    const { workspaceId } = context;
    const customer = await this.customers.find(workspaceId, customerId);
    if (!customer || customer.deleted) throw NotFound.of('customer', customerId);
    if ((await this.workspaces.readMode(workspaceId)) !== 'live')
      throw new StateConflict('live_only', 'Cards are only for live workspaces; a sandbox has test methods');
    await this.requireAllowedReturn(workspaceId, returnUrl);
    const paymentMethodId = idFor(context, 'pm', customerId);
    const url = await this.setups.start({
      id: idFor(context, 'cset', customerId),
      workspaceId,
      customerId,
      paymentMethodId,
      returnUrl,
      purpose,
      startedAt: systemClock.now(),
    });
    return { paymentMethodId, url };
  }

  /** Throws InvalidRequest unless the customer returns by https to a host of the workspace, or to a page of Countinghouse itself. */
  private async requireAllowedReturn(workspaceId: string, returnUrl: string): Promise<void> {
    const { protocol, host, origin } = new URL(returnUrl);
    if (origin === new URL(publicUrlOf(this.settings)).origin) return;
    const hosts = await this.connections.returnHostsOf(workspaceId);
    // Without a payment gateway there is no page to return from, which the setup refuses.
    if (hosts === undefined) return;
    if (protocol !== 'https:' || !hosts.includes(host))
      throw InvalidRequest.field(
        'returnUrl',
        `must begin with https:// and have a host that the workspace lists (${hosts.join(', ') || 'there is none yet'}); add "${host}" to returnHosts with PUT /v1/payment-gateway`,
        'return_url_not_allowed',
      );
  }
}
