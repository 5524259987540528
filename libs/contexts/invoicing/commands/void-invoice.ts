import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ApprovalGate, HeldCommandRegistry, type ProposedAction } from '#libs/contexts/approvals';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { invoiceDecider } from '../decider.js';
import { GiveBackRecorder } from '../give-backs/give-back-recorder.js';
import type { Invoice } from '../invoice.js';
import { invoiceVoidProposal } from '../proposed-actions.js';
import { VoidedInvoiceNotifier } from '../voided-invoice-notifier.js';

/**
 * Voids an unpaid invoice. A void invoice can never be paid. If the voided invoice gave back amounts of earlier invoices, these give-backs
 * are undone. Throws StateConflict (`invoice_given_back`) if a later invoice gave back a part of this invoice's charges, because the void
 * would give that part back a second time. Throws InvalidRequest also for an invoice that is paid, partly paid or void, has credit notes
 * that are not void, or has a payment in progress. Throws ActionHeld if the void needs approval.
 */
export class VoidInvoice extends Command<Invoice> {
  constructor(
    readonly context: CommandContext,
    readonly invoiceId: string,
    readonly reason: string | null,
  ) {
    super();
  }
}

@CommandHandler(VoidInvoice)
export class VoidInvoiceHandler implements ICommandHandler<VoidInvoice> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly giveBacks: GiveBackRecorder,
    private readonly voided: VoidedInvoiceNotifier,
    private readonly gate: ApprovalGate,
    held: HeldCommandRegistry,
  ) {
    held.register<Pick<VoidInvoice, 'invoiceId' | 'reason'>, Invoice>({
      kind: 'void-invoice',
      createCommand: (context, data) => new VoidInvoice(context, data.invoiceId, data.reason),
      propose: (context, data) => this.propose(context, data.invoiceId, data.reason),
      resourceOf: ({ invoiceId: id }) => ({ type: 'invoice', id }),
    });
  }

  async execute({ context, invoiceId, reason }: VoidInvoice): Promise<Invoice> {
    const id = aggregateId(context.workspaceId, invoiceId);
    const command = { type: 'VoidInvoice', at: context.now, invoiceId, reason } as const;
    await this.gate.requireApprovalIfNeeded(context, 'invoice.void', () =>
      this.propose(context, invoiceId, reason),
    );
    const { state } = await this.aggregates.execute(invoiceDecider, id, context, command);
    await this.giveBacks.undoGiveBacks(context, state);
    await this.voided.notifySubscriptions(context, invoiceId);
    return state;
  }

  /** Describes the void for its approval request. Undefined if the command has run already. Throws the errors of the command. */
  private async propose(
    context: CommandContext,
    invoiceId: string,
    reason: string | null,
  ): Promise<ProposedAction | undefined> {
    const id = aggregateId(context.workspaceId, invoiceId);
    const command = { type: 'VoidInvoice', at: context.now, invoiceId, reason } as const;
    const preview = await this.aggregates.preview(invoiceDecider, id, context, command);
    if (!preview) return undefined;
    const held = { kind: 'void-invoice', data: { invoiceId, reason } };
    return { ...invoiceVoidProposal(preview.before!, preview.after, reason), command: held };
  }
}
