import { Injectable } from '@nestjs/common';
import { Customers, type CustomerEvent } from '#libs/contexts/customers';
import { ProcessManager, reactByEventType, type TaskHandlers } from '#libs/kernel/saga';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { PaymentGateways } from './payment-gateways.js';
import { StripeCardDetacher } from './stripe/stripe-card-detacher.js';
import { PAYMENTS_PROCESS, StripeGateway } from './stripe/stripe-gateway.js';

interface Tasks {
  /** Detaches a removed card at the payment processor. */
  'detach-card': { customerId: string; paymentMethodId: string };
  /** Refunds a charge that its invoice does not need, if the refund failed at first. */
  'refund-unwanted-charge': { chargeKey: string };
}

/**
 * Detaches a card at the payment processor when a user removes the card from its customer. Tries refunds of unwanted charges again that
 * failed.
 */
@Injectable()
export class PaymentsProcess extends ProcessManager<Tasks> {
  readonly name = PAYMENTS_PROCESS;

  constructor(
    clock: WorkspaceClock,
    private readonly customers: Customers,
    private readonly cards: StripeCardDetacher,
    private readonly gateways: PaymentGateways,
    private readonly stripe: StripeGateway,
  ) {
    super(clock);
  }

  override readonly react = reactByEventType<CustomerEvent, Tasks>({
    PaymentMethodDetached: ({ data: { customerId, paymentMethodId } }) => [
      { name: 'detach-card', payload: { customerId, paymentMethodId }, clock: 'system' },
    ],
  });

  protected override readonly tasks: TaskHandlers<Tasks> = {
    'detach-card': async ({ customerId, paymentMethodId }, { workspaceId }) => {
      const method = await this.customers.findEverAttachedPaymentMethod(
        workspaceId,
        customerId,
        paymentMethodId,
      );
      if (method?.type === 'card') await this.cards.detach(workspaceId, method);
    },
    'refund-unwanted-charge': async ({ chargeKey }, { workspaceId }) => {
      await this.gateways.requireForStartedRefund(workspaceId);
      await this.stripe.continueUnwantedRefund(chargeKey);
    },
  };
}
