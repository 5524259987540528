import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ApprovalGate, HeldCommandRegistry, type ProposedAction } from '#libs/contexts/approvals';
import { Balances } from '#libs/contexts/balances';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, idFor, type CommandContext } from '#libs/kernel/event-store';
import { invoiceDecider } from '../../decider.js';
import { requireRecordedPayment } from '../../decisions/recorded-payment.js';
import type { Invoice } from '../../invoice.js';
import { recordedPaymentProposal } from '../../proposed-actions.js';
import { creditPaymentExcess } from '../credit-payment-excess.js';
import type { PaymentToRecord } from '../recorded-payment.js';

/**
 * Records a payment of an invoice outside the payment gateway, and returns the invoice. The part above the amount due is added to the
 * customer's balance. Throws NotFound for an unknown invoice, and the errors of `recordPayment` (`decisions/recorded-payment.ts`).
 * Throws ActionHeld if the payment needs approval.
 */
export class RecordPayment extends Command<Invoice> {
  constructor(
    readonly context: CommandContext,
    readonly invoiceId: string,
    readonly payment: Omit<PaymentToRecord, 'paymentId'>,
  ) {
    super();
  }
}

@CommandHandler(RecordPayment)
export class RecordPaymentHandler implements ICommandHandler<RecordPayment> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly balances: Balances,
    private readonly gate: ApprovalGate,
    held: HeldCommandRegistry,
  ) {
    held.register<Pick<RecordPayment, 'invoiceId' | 'payment'>, Invoice>({
      kind: 'record-payment',
      createCommand: (context, data) => new RecordPayment(context, data.invoiceId, data.payment),
      propose: (context, data) => this.propose(context, data.invoiceId, data.payment),
      resourceOf: ({ invoiceId: id }) => ({ type: 'invoice', id }),
    });
  }

  async execute({ context, invoiceId, payment }: RecordPayment): Promise<Invoice> {
    const paymentId = idFor(context, 'rpay', invoiceId);
    const id = aggregateId(context.workspaceId, invoiceId);
    const command = { type: 'RecordPayment', at: context.now, invoiceId, paymentId, ...payment } as const;
    await this.gate.requireApprovalIfNeeded(context, 'payment.record', () =>
      this.propose(context, invoiceId, payment),
    );
    const { state } = await this.aggregates.execute(invoiceDecider, id, context, command);
    await creditPaymentExcess(this.balances, context, state, requireRecordedPayment(paymentId, state));
    return state;
  }

  /** Describes the payment for its approval request. Undefined if it was recorded already. Throws the errors of the command. */
  private async propose(
    context: CommandContext,
    invoiceId: string,
    payment: RecordPayment['payment'],
  ): Promise<ProposedAction | undefined> {
    const paymentId = idFor(context, 'rpay', invoiceId);
    const id = aggregateId(context.workspaceId, invoiceId);
    const command = { type: 'RecordPayment', at: context.now, invoiceId, paymentId, ...payment } as const;
    const preview = await this.aggregates.preview(invoiceDecider, id, context, command);
    if (!preview) return undefined;
    const { before, after } = preview;
    const recorded = requireRecordedPayment(paymentId, after);
    const held = { kind: 'record-payment', data: { invoiceId, payment } };
    return { ...recordedPaymentProposal(before!, after, recorded), command: held };
  }
}
