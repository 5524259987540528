import { Injectable } from '@nestjs/common';
import { StateConflict, type DecimalString } from '#libs/kernel/core';
import { idFor, type CommandContext } from '#libs/kernel/event-store';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { Invoices } from '#libs/contexts/invoicing';
import { SandboxDashboard, type DisputeDecision, type GatewayNotice } from '#libs/contexts/payments';
import { GatewayNoticeRecorder } from './gateway-notice-recorder.js';

/** A refund at the simulated payment processor. */
export interface SimulatedRefund {
  readonly id: string;
  readonly invoiceId: string;
  readonly amount: DecimalString;
}

/** A dispute at the simulated payment processor. */
export interface SimulatedDispute extends SimulatedRefund {
  readonly reason: string;
  readonly status: string;
}

/**
 * Lets the simulated payment processor of a sandbox refund and dispute payments by itself. The result is recorded as a webhook of a real
 * processor would be. All methods throw StateConflict (`sandbox_only`) in a live workspace.
 */
@Injectable()
export class SandboxReports {
  constructor(
    private readonly workspaces: WorkspaceClock,
    private readonly invoices: Invoices,
    private readonly dashboard: SandboxDashboard,
    private readonly notices: GatewayNoticeRecorder,
  ) {}

  /**
   * Refunds the newest card payment of an invoice, in full without `amount`. Throws NotFound for an invoice of another workspace.
   * Throws InvalidRequest if less than `amount` is left of the payment, and Conflict (`no_payment_left`) if nothing is.
   */
  async refund(
    context: CommandContext,
    invoiceId: string,
    amount: DecimalString | undefined,
  ): Promise<SimulatedRefund> {
    await this.requireInvoice(context, invoiceId);
    const { workspaceId } = context;
    const id = idFor(context, 're', invoiceId);
    const notice = await this.dashboard.refund({ id, workspaceId, invoiceId, amount });
    await this.notices.record(context, notice);
    return { id, invoiceId, amount: notice.refunds[0]!.amount };
  }

  /** Disputes the newest card payment of an invoice. Throws as {@link refund} does. */
  async dispute(
    context: CommandContext,
    invoiceId: string,
    { amount, reason }: { readonly amount: DecimalString | undefined; readonly reason: string },
  ): Promise<SimulatedDispute> {
    await this.requireInvoice(context, invoiceId);
    const { workspaceId } = context;
    const id = idFor(context, 'dp', invoiceId);
    return this.record(context, await this.dashboard.dispute({ id, workspaceId, invoiceId, amount }, reason));
  }

  /** Decides a dispute. Throws NotFound if there is no such dispute, and Conflict (`dispute_closed`) if it was decided otherwise. */
  async closeDispute(
    context: CommandContext,
    disputeId: string,
    decision: DisputeDecision,
  ): Promise<SimulatedDispute> {
    await this.requireSandbox(context);
    return this.record(context, await this.dashboard.closeDispute(context.workspaceId, disputeId, decision));
  }

  private async record(
    context: CommandContext,
    notice: Extract<GatewayNotice, { type: 'dispute' }>,
  ): Promise<SimulatedDispute> {
    await this.notices.record(context, notice);
    const { disputeId, amount, reason, status } = notice.dispute;
    return { id: disputeId, invoiceId: notice.invoiceId, amount, reason, status };
  }

  private async requireInvoice(context: CommandContext, invoiceId: string): Promise<void> {
    await this.requireSandbox(context);
    await this.invoices.require(context.workspaceId, invoiceId);
  }

  private async requireSandbox({ workspaceId }: CommandContext): Promise<void> {
    if ((await this.workspaces.readMode(workspaceId)) !== 'sandbox')
      throw new StateConflict('sandbox_only', 'Refunds and disputes are simulated only in a sandbox');
  }
}
