import { Injectable } from '@nestjs/common';
import { StateConflict, Unavailable } from '#libs/kernel/core';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import type { PaymentGateway } from './payment-gateway.js';
import { GatewayConnections } from './connection/gateway-connections.js';
import { SandboxGateway } from './sandbox-gateway.js';
import { StripeGateway } from './stripe/stripe-gateway.js';

/** Chooses the payment gateway of a workspace. */
@Injectable()
export class PaymentGateways {
  constructor(
    private readonly workspaces: WorkspaceClock,
    private readonly sandbox: SandboxGateway,
    private readonly connections: GatewayConnections,
    private readonly stripe: StripeGateway,
  ) {}

  /** The workspace's gateway. Undefined for a live workspace without a connected payment gateway. */
  async find(workspaceId: string): Promise<PaymentGateway | undefined> {
    if ((await this.workspaces.readMode(workspaceId)) === 'sandbox') return this.sandbox;
    return (await this.connections.exists(workspaceId)) ? this.stripe : undefined;
  }

  /**
   * Returns the gateway for a refund that was started already. Throws Unavailable (`payment_gateway_awaited`) if the workspace has no gateway any
   * more. The refund then waits without an end, until a gateway is connected again.
   */
  async requireForStartedRefund(workspaceId: string): Promise<PaymentGateway> {
    const gateway = await this.find(workspaceId);
    if (!gateway)
      throw new Unavailable(
        'payment_gateway_awaited',
        'A refund waits, because this live workspace has no payment processor any more; connect Stripe with PUT /v1/payment-gateway',
      );
    return gateway;
  }

  /** Returns the workspace's gateway. Throws StateConflict (`no_payment_gateway`) if the workspace has no payment gateway. */
  async require(workspaceId: string): Promise<PaymentGateway> {
    const gateway = await this.find(workspaceId);
    if (!gateway)
      throw new StateConflict(
        'no_payment_gateway',
        'This live workspace has no payment processor; connect Stripe with PUT /v1/payment-gateway',
      );
    return gateway;
  }
}
