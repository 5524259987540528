import { Injectable } from '@nestjs/common';
import { Customers, type CustomerEvent } from '#libs/contexts/customers';
import { ProcessManager, reactByEventType, type TaskHandlers } from '#libs/kernel/saga';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { StripeCardDetacher } from './stripe/stripe-card-detacher.js';

interface Tasks {
  /** Detaches a removed card at the payment processor. */
  'detach-card': { customerId: string; paymentMethodId: string };
}

/** Detaches a card at the payment processor when a user removes the card from its customer. */
@Injectable()
export class PaymentsProcess extends ProcessManager<Tasks> {
  readonly name = 'payments';

  constructor(
    clock: WorkspaceClock,
    private readonly customers: Customers,
    private readonly cards: StripeCardDetacher,
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
  };
}
