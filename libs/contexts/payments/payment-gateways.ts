import { Injectable } from '@nestjs/common';
import { InvalidRequest } from '#libs/kernel/core';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import type { PaymentGateway } from './payment-gateway.js';
import { SandboxGateway } from './sandbox-gateway.js';

/** Chooses the payment gateway of a workspace. */
@Injectable()
export class PaymentGateways {
  constructor(
    private readonly workspaces: WorkspaceClock,
    private readonly sandbox: SandboxGateway,
  ) {}

  /** The workspace's gateway. Undefined for a live workspace, because no gateway for live workspaces is connected. */
  async find(workspaceId: string): Promise<PaymentGateway | undefined> {
    return (await this.workspaces.readMode(workspaceId)) === 'sandbox' ? this.sandbox : undefined;
  }

  /** Returns the workspace's gateway. Throws InvalidRequest (`no_payment_gateway`) if it has none. */
  async require(workspaceId: string): Promise<PaymentGateway> {
    const gateway = await this.find(workspaceId);
    if (!gateway)
      throw new InvalidRequest(
        'no_payment_gateway',
        'This live workspace has no payment processor connected; only sandbox workspaces can take payments',
      );
    return gateway;
  }
}
